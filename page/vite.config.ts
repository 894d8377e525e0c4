import { defineConfig } from "vite";

/** Builds the page into `dist/page`, from which the server serves it. `base` is relative: a server may have a base path. */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  build: {
    outDir: "../dist/page",
    emptyOutDir: true,
    // The page's content security takes nothing from a `data:` address but pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A library may be for servers, too, and say so; a busy machine is slow.
    rolldownOptions: { checks: { moduleLevelDirective: false, bundlerTimings: false } },
    license: { fileName: "LICENSES.md" },
  },
});
