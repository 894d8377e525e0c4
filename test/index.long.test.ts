import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));

/** The types of ours that what a module exports is declared with, and that it does not export itself. */
function typesLeftOut(checker: ts.TypeChecker, file: ts.SourceFile, known: Set<ts.Symbol>): string[] {
  const leftOut = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node) || ts.isImportTypeNode(node)) {
      const symbol = symbolOf(checker, nameOf(node));
      if (symbol && isOurs(symbol) && !known.has(symbol)) leftOut.add(symbol.name);
    }
    if (!isPrivate(node)) ts.forEachChild(node, visit);
  };
  for (const symbol of exportsOf(checker, file)) symbol.declarations?.forEach(visit);
  return [...leftOut].sort();
}

function exportsOf(checker: ts.TypeChecker, file: ts.SourceFile): ts.Symbol[] {
  const module = checker.getSymbolAtLocation(file);
  return module ? checker.getExportsOfModule(module).map((symbol) => withoutAlias(checker, symbol)) : [];
}

function nameOf(node: ts.TypeReferenceNode | ts.ExpressionWithTypeArguments | ts.ImportTypeNode): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  return ts.isImportTypeNode(node) ? node.qualifier : node.expression;
}

function symbolOf(checker: ts.TypeChecker, name: ts.Node | undefined): ts.Symbol | undefined {
  const symbol = name && checker.getSymbolAtLocation(name);
  return symbol && withoutAlias(checker, symbol);
}

function withoutAlias(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function isOurs({ flags, declarations }: ts.Symbol): boolean {
  const [declaration] = declarations ?? [];
  return !(flags & ts.SymbolFlags.TypeParameter) && declaration?.getSourceFile().fileName.startsWith(dist) === true;
}

function isPrivate(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) && node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) === true
  );
}

it("every type in the signatures of the package's exports can be imported", () => {
  const rooms = ["agent", "documents", "memory", "model", "protocols", "server", "testing", "threads", "tools", "ui"];
  const entries = ["", ...rooms.map((room) => `${room}/`)].map((entry) => `${dist}${entry}index.d.ts`);
  const program = ts.createProgram(entries, {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
    skipLibCheck: true,
  });
  const checker = program.getTypeChecker();
  const files = entries.flatMap((entry) => program.getSourceFile(entry) ?? []);
  const known = new Set(files.flatMap((file) => exportsOf(checker, file)));
  expect(known.size).toBeGreaterThan(80);
  expect(files).toHaveLength(entries.length);
  expect(files.flatMap((file) => typesLeftOut(checker, file, known))).toEqual([]);
});
