/** Mathjs as one file, which loads ten times faster than its 650 modules. Its `create` takes the settings alone. */
declare module "mathjs/lib/browser/math.js" {
  import type { ConfigOptions, MathJsInstance } from "mathjs";

  const mathjs: { create(settings: ConfigOptions): MathJsInstance };
  export default mathjs;
}
