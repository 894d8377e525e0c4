import { join } from "node:path";
import { expect, it } from "vitest";
import { documents } from "../../../src/documents/documents.js";
import { documentFolder } from "../document-folder.js";
import { addresses } from "../outcomes.js";

const { folder, index, write: writeOne } = documentFolder();

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) writeOne(path, text);
}

it("finds documents by titles, names and headings, names in whole and in parts, and words in other cases", async () => {
  write({
    "ingress.md": "---\ntitle: Kubernetes Controllers\n---\n\nYou need one of these.",
    "bills/invoice-4711.md": "20 EUR.",
    "contact.md": "# Contact\n\n## Telephone 555-1234\n\n# End\n\nBye.",
    "handle.md": "To handle an error, catch it.",
    "node.md": "NodeJS is a runtime.",
    "read.md": "readFileSync of fs reads a file.",
    "snake.md": "Set max_model_calls to 3.",
    "german.md": "Die Löschung der Daten, die Straße.",
    "old.md": "Die Groesse zaehlt.",
    "thai.md": "แมวนอนหลับทั้งวัน",
    "chinese.md": "更新证书的方法。",
    "ru.md": "Зависимости объявляются в параметрах функции.",
    "uk.md": "Файли конфігурації читаються щоразу.",
  });
  await using docs = documents({ folder });
  for (const [query, path] of Object.entries({
    "kubernetes controller": "ingress.md",
    "invoice 4711": "bills/invoice-4711.md",
    telephone: "contact.md",
    "error-handling": "handle.md",
    "Node.js": "node.md",
    "fs.readFileSync": "read.md",
    "max model calls": "snake.md",
    Loeschung: "german.md",
    strasse: "german.md",
    Größe: "old.md",
    แมว: "thai.md",
    如何更新证书: "chinese.md",
    法: "chinese.md",
    зависимостям: "ru.md",
    параметр: "ru.md",
    функция: "ru.md",
    конфігурація: "uk.md",
  })) {
    expect([query, addresses(await docs.invoke(query))[0]]).toEqual([query, path]);
  }
});

it("bridges slips in words that no document has, and in no others", async () => {
  write({
    "value.md": "A value is kept.",
    "valve.md": "A valve is closed.",
    "config.md": "The configuration is read at the start.",
    "number.md": "Call 4711.",
  });
  await using docs = documents({ folder });
  for (const [query, paths] of [
    ["vlaue", ["value.md"]],
    ["valuee", ["value.md"]],
    ["valve", ["valve.md"]],
    ["cnofgiuration", ["config.md"]],
    ["valwx", []],
    ["4712", []],
  ] as const) {
    expect([query, addresses(await docs.invoke(query))]).toEqual([query, paths]);
  }
});

it("bridges slips by words that are elsewhere in the same index, but not in the folder", async () => {
  write({ "one/a.md": "The vlaue is mistyped here.", "two/b.md": "A value." });
  await using one = documents({ folder: join(folder, "one"), index });
  await one.refresh();
  await using two = documents({ folder: join(folder, "two"), index });
  expect(addresses(await two.invoke("vlaue"))).toEqual(["b.md"]);
});

it("finds what is asked above or below a pasted log, also in another script", async () => {
  write({
    "cert.md": "# Renew the certificate\n\nRun it each year.",
    "zh.md": "# 证书\n\n更新证书的方法。",
    ...Object.fromEntries(["a", "b", "c", "d"].map((name) => [`${name}.md`, log(60, name)])),
  });
  await using docs = documents({ folder });
  for (const question of ["How do I renew the certificate?", "如何更新证书？"]) {
    const expected = question.startsWith("How") ? "cert.md" : "zh.md";
    expect(addresses(await docs.invoke(`${log(60, "x")}\n${question}`))).toContain(expected);
    expect(addresses(await docs.invoke(`${question}\n${log(60, "x")}`))).toContain(expected);
  }
  expect(addresses(await docs.invoke(`${log(41, "x").replaceAll("\n", " ")} 如何更新证书？`))).toContain("zh.md");
});

function log(lines: number, name: string): string {
  return Array.from({ length: lines }, (_, n) => `at step${n} of ${name} (part${n})`).join("\n");
}

it("shows one version of a page before other pages, and the other versions after them", async () => {
  const page = "To install the program, download the package, unpack it, and run the command below in a shell";
  for (const version of [1, 2, 3, 4])
    write({ [`v${version}/install.md`]: `# Install\n\n${page}, version ${version}.` });
  write({
    "remove.md": "# Remove\n\nUninstall it.\n\nInstall nothing.",
    "other.md": "The program to install is named here.",
  });
  await using docs = documents({ folder, maxResults: 6 });
  const found = addresses(await docs.invoke("install the program"));
  expect(found).toHaveLength(6);
  expect(found.slice(0, 3).filter((path) => path.startsWith("v"))).toHaveLength(1);
});

it("keeps records with one frame where they are if both are asked for", async () => {
  const frame = "It belongs to the industrial range, is delivered within five days, and has a warranty of two years.";
  for (const number of [4711, 4712, 4713])
    write({ [`${number}.md`]: `# Record\n\nNumber ${number}. ${frame} It costs 20 EUR.` });
  write({ "range.md": "The industrial range is compared here.", "number.md": "A number is compared." });
  await using docs = documents({ folder, maxResults: 2 });
  expect(addresses(await docs.invoke("compare number 4713 and 4711")).sort()).toEqual(["4711.md", "4713.md"]);
});

it("ranks a page first whose title, file name or heading is what is asked for, and nothing else", async () => {
  const text = "Slots and props are used here. Slots, slots and props.";
  write({
    "a.md": `# Typing slots and props of components in depth\n\n${text}`,
    "b.md": "# Slots\n\nA component has them, and a parent fills them with what a child shows.",
    "c.md": `# Everything else\n\n${text}\n\n## More of props and slots for all of us\n\n${text}`,
    "d.md": `# More\n\n${text}\n\n## Props\n\nA parent hands them to a child, and a child does not change them.`,
    "provide-inject.md": "# Dependencies\n\nWith them a parent reaches each child below it.",
    "e.md": `# How to provide types in large applications\n\nProvide, inject. ${text}`,
  });
  await using docs = documents({ folder });
  expect(addresses(await docs.invoke("slots"))[0]).toBe("b.md");
  expect(addresses(await docs.invoke("props"))[0]).toBe("d.md");
  expect(addresses(await docs.invoke("provide inject"))[0]).toBe("provide-inject.md");
});

it("finds a document with two good passages before one with a single one, also if both are equally good", async () => {
  write({
    "a.md": "# First\n\n## Here\n\nred fox sleeps",
    "b.md": "# Other\n\n## Here\n\nred fox sleeps\n\n## Then\n\nred fox sleeps",
  });
  await using docs = documents({ folder });
  expect(addresses(await docs.invoke("red fox"))).toEqual(["b.md", "b.md", "a.md"]);
});

it.each([{}, undefined])("refuses a query that is no text: %s", async (query) => {
  await using docs = documents({ folder });
  await expect(docs.invoke(query as string)).rejects.toThrow(/^query: .*; give a text\.$/);
});
