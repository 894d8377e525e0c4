/** A unit of quantities. `base` is its size in the first unit of its dimension, such as 60 for minutes (in seconds). */
export interface Unit {
  readonly name: string;
  readonly symbol: string;
  readonly dimension: "temperature" | "time" | "length" | "mass" | "money";
  readonly base: number;
}

const table: readonly (readonly [dimension: Unit["dimension"], symbol: string, base: number, names: string])[] = [
  ["temperature", "°C", 1, "celsius|degrees celsius|degree celsius|centigrade|degrees c|°c|º c|ºc|° c"],
  ["temperature", "°F", 1, "fahrenheit|degrees fahrenheit|degree fahrenheit|degrees f|°f|ºf|° f"],
  ["temperature", "K", 1, "kelvin|kelvins"],
  ["time", "s", 1, "seconds|second|secs|sec"],
  ["time", "min", 60, "minutes|minute|mins|min"],
  ["time", "h", 3600, "hours|hour|hrs"],
  ["time", "days", 86_400, "days|day"],
  ["time", "weeks", 604_800, "weeks|week"],
  ["time", "ms", 0.001, "milliseconds|millisecond|ms"],
  ["length", "m", 1, "meters|metres|meter|metre"],
  ["length", "km", 1000, "kilometers|kilometres|kilometer|kilometre|km"],
  ["length", "cm", 0.01, "centimeters|centimetres|centimeter|centimetre|cm"],
  ["length", "mi", 1609.344, "miles|mile"],
  ["length", "ft", 0.3048, "feet|foot|ft"],
  ["length", "in", 0.0254, "inches|inch"],
  ["mass", "kg", 1, "kilograms|kilogram|kilos|kg"],
  ["mass", "g", 0.001, "grams|gram"],
  ["mass", "lb", 0.453_592_37, "pounds|pound|lbs|lb"],
  ["money", "dollars", 1, "dollars|us dollars"],
];

const unitsByName = new Map(
  table.flatMap(([dimension, symbol, base, names]) =>
    names.split("|").map((name): [string, Unit] => [name, { name, symbol, dimension, base }]),
  ),
);

/** A part of a pattern that matches the name of any unit, the longest first. */
export const unitPattern = [...unitsByName.keys()].sort((a, b) => b.length - a.length).join("|");

/** Returns the unit with a name, in upper or lower case. `F` and `C` alone mean degrees. */
export function unitNamed(name: string): Unit | undefined {
  const written = name.trim();
  return unitsByName.get(/^[CF]$/i.test(written) ? `°${written.toLowerCase()}` : written.toLowerCase());
}

/**
 * Returns the expression that converts a number to another unit. Returns undefined if the units measure different
 * things.
 */
export function conversionExpression(value: string, from: Unit, to: Unit): string | undefined {
  if (from.dimension !== to.dimension) return undefined;
  if (from.dimension !== "temperature") return `${value}*${from.base}/${to.base}`;
  return temperatures[`${from.symbol} ${to.symbol}`]?.(value) ?? value;
}

const temperatures: Readonly<Record<string, (value: string) => string>> = {
  "°F °C": (value) => `(${value}-32)*5/9`,
  "°C °F": (value) => `${value}*9/5+32`,
  "°C K": (value) => `${value}+273.15`,
  "K °C": (value) => `${value}-273.15`,
  "°F K": (value) => `(${value}-32)*5/9+273.15`,
  "K °F": (value) => `(${value}-273.15)*9/5+32`,
};
