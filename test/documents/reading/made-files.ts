import { deflateRawSync } from "node:zlib";

/** Makes a PDF of objects, numbered from 1. The first one is its catalog. */
export function pdfOf(objects: readonly (string | Buffer)[], trailer = ""): Buffer {
  const parts = [Buffer.from("%PDF-1.4\n")];
  let place = 9;
  const places = objects.map((object, index) => {
    const start = place;
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n")]);
    parts.push(part);
    place += part.length;
    return `${String(start).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join("")}`;
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${place}\n%%EOF`;
  return Buffer.concat([...parts, Buffer.from(table + end)]);
}

export function streamOf(data: string | Buffer, entries = ""): Buffer {
  const bytes = Buffer.from(data);
  const head = Buffer.from(`<< /Length ${bytes.length} ${entries} >>\nstream\n`);
  return Buffer.concat([head, bytes, Buffer.from("\nendstream")]);
}

const resources = "/Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >>";

/** The objects of a PDF with one page, whose content is object 5. Objects from 6 on may follow. */
export const onePage = [
  "<< /Type /Catalog /Pages 2 0 R >>",
  "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
  "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] ${resources} /Contents 5 0 R >>`,
];

/** Makes a PDF with the lines of its pages. */
export function textPdf(pages: readonly (readonly string[])[], title = "", trailer = ""): Buffer {
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap((lines, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] ${resources} /Contents ${5 + 2 * index} 0 R >>`,
      streamOf(`BT /F1 12 Tf 50 700 Td 14 TL ${lines.map((line) => `(${line}) Tj T*`).join(" ")} ET`),
    ]),
    `<< /Title (${title}) >>`,
  ];
  return pdfOf(objects, `/Info ${objects.length} 0 R ${trailer}`);
}

/** Makes a small PDF that takes years to read: 40 forms, each of which shows the next one twice. */
export function endlessPdf(): Buffer {
  const form = (index: number) =>
    `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 3 0 R >> /XObject << /X ${index + 1} 0 R >> >>`;
  const forms = Array.from({ length: 40 }, (_, index) =>
    streamOf(index === 39 ? "BT /F1 12 Tf (word) Tj ET" : "/X Do /X Do", form(index + 6)),
  );
  return pdfOf([...onePage, streamOf("/X Do"), ...forms]);
}

/** Makes a ZIP archive. `said` gives the unpacked sizes that it says it has, where they are others. */
export function zipOf(files: Readonly<Record<string, string | Buffer>>, said: Readonly<Record<string, number>> = {}) {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let place = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = deflateRawSync(Buffer.from(content), { level: 1 });
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(said[name] ?? Buffer.byteLength(content), 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, Buffer.from(name), packed]);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(place, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\0"), fields, end, Buffer.from(name)]));
    locals.push(local);
    place += local.length;
  }
  const index = Buffer.concat(directory);
  const last = Buffer.alloc(18);
  last.writeUInt16LE(directory.length, 4);
  last.writeUInt16LE(directory.length, 6);
  last.writeUInt32LE(index.length, 8);
  last.writeUInt32LE(place, 12);
  return Buffer.concat([...locals, index, Buffer.from("PK\x05\x06"), last]);
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const wordNames =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const packageTypes = "http://schemas.openxmlformats.org/package/2006";
const documentType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";

/** The parts of a DOCX. */
export function wordParts(body: string, { title = "", doctype = "" } = {}): Record<string, string> {
  return {
    "[Content_Types].xml": `${declaration}<Types xmlns="${packageTypes}/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    "_rels/.rels": `${declaration}<Relationships xmlns="${packageTypes}/relationships"><Relationship Id="rId1" Type="${documentType}" Target="word/document.xml"/></Relationships>`,
    "docProps/core.xml": `${declaration}<cp:coreProperties xmlns:cp="${packageTypes}/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></cp:coreProperties>`,
    "word/document.xml": `${declaration}${doctype}<w:document ${wordNames}><w:body>${body}</w:body></w:document>`,
  };
}

/** A paragraph of a DOCX. */
export function paragraph(text: string, style = ""): string {
  const properties = style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t>${text}</w:t></w:r></w:p>`;
}
