import { posix } from "node:path";

/** What every test depends on. */
const common = /^(?:package(?:-lock)?\.json|tsconfig.*\.json|vitest.*\.ts|bundle\.mjs|pack\.mjs|\.ci\/.*)$/;
const test = /^test\/.*\.test\.ts$/;

/**
 * The tests of the rooms that a change touches. A room is a folder of `src/`, and the one in it: `core/nodes`. A test belongs
 * to the rooms of the files that it and its helpers import, and to those in the folder that its own one is named after.
 * Further imports do not count: nearly all of `src/` reaches all of it.
 *
 * @param changed Paths from the root of the project.
 * @param texts The code of the project by path. Tests are among it.
 * @returns The paths of the tests, sorted.
 */
export function testsOf(changed: readonly string[], texts: ReadonlyMap<string, string>): string[] {
  const tests = [...texts.keys()].filter((path) => test.test(path)).sort();
  if (changed.some((path) => common.test(path))) return tests;
  const touched = new Set(changed.map(roomOf));
  return tests.filter((path) => {
    const own = withHelpers(path, texts);
    const used = [...own].flatMap((file) => importsOf(file, texts)).filter((file) => file.startsWith("src/"));
    const folder = path.replace(/^test\/(.*)\/[^/]*$/, "src/$1/");
    const isNear = (file: string) => file.startsWith(folder) || names(own, texts, file);
    return [...own, ...used, folder].map(roomOf).some((room) => touched.has(room)) || changed.some(isNear);
  });
}

/** The room of a file of `src/`; another file stands for itself. */
function roomOf(path: string): string {
  return path.startsWith("src/") ? path.split("/").slice(0, -1).slice(0, 3).join("/") : path;
}

/** A test, and the files of `test/` that it imports, and theirs. */
function withHelpers(path: string, texts: ReadonlyMap<string, string>, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const file of importsOf(path, texts)) if (file.startsWith("test/")) withHelpers(file, texts, found);
  return found;
}

function importsOf(path: string, texts: ReadonlyMap<string, string>): string[] {
  const specifiers = (texts.get(path) ?? "").matchAll(/(?:from |import |import\()"(\.[^"]+)"/g);
  return [...specifiers].map(([, name = ""]) =>
    posix.join(posix.dirname(path), name).replace(/\.(m?)js$/, (_, m: string) => `.${m}ts`),
  );
}

/** Whether a test names a file that it reads or starts, or the folder of it: `docs/tools.md`, `fixtures/mortal.mjs`, `graphs`. */
function names(own: ReadonlySet<string>, texts: ReadonlyMap<string, string>, file: string): boolean {
  const ends = [file, posix.dirname(file), file.split("/").slice(-2).join("/"), posix.basename(file)];
  const quoted = ends
    .filter((end) => end !== "." && !end.startsWith("src"))
    .flatMap((end) => [`"${end}"`, `"${end}/"`, `/${end}"`]);
  return [...own].some((path) => quoted.some((name) => texts.get(path)?.includes(name)));
}
