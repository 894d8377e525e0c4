/** Mathjs as one file, which loads ten times faster than its 650 modules. Its types describe the modules only. */
declare module "mathjs/lib/browser/math.js" {
  type Maths = typeof import("mathjs");
  type Calls = Record<string, (...given: unknown[]) => unknown>;
  const mathjs: Maths & { create(factories: Maths["all"]): Maths & Calls & { config(settings: object): unknown } };
  export default mathjs;
}
