import { expect, it } from "vitest";
import { fetchWithDigits } from "../../../src/tools/mcp/kept-digits.js";
import { startLocalServer } from "../../helpers/local-server.js";

const sent = '{"result":{"structuredContent":{"id":9007199254740993,"of":"é \\" 9007199254740993"}}}';
const kept = '{"result":{"structuredContent":{"id":"9007199254740993","of":"é \\" 9007199254740993"}}}';
const schema = '{"tools":[{"maximum":9223372036854775807,"description":"\\"structuredContent\\": 7"}]}';

it.each([
  ["in one piece", `${sent}`, kept],
  ["as events", `data: ${schema}\n\ndata: ${sent}\n\n`, `data: ${schema}\n\ndata: ${kept}\n\n`],
  ["as no result", schema, schema],
  ["as nothing", "", ""],
])("what a server on the web sends keeps its digits %s", async (_how, text, read) => {
  await using server = await startLocalServer(async (_request, response) => {
    for (const byte of Buffer.from(text)) response.write(Buffer.from([byte]));
    response.end();
  });
  const response = await fetchWithDigits(server.origin);
  expect([response.status, await response.text()]).toEqual([200, read]);
});
