/** The types of mathjs describe its modules only. The bundle makes instances that have the same exports. */
declare module "mathjs/lib/browser/math.js" {
  type MathsLibrary = typeof import("mathjs");
  const mathjs: {
    readonly all: import("mathjs").FactoryFunctionMap;
    create(factories: import("mathjs").FactoryFunctionMap): MathsLibrary & { config(settings: object): unknown };
  };
  export default mathjs;
}
