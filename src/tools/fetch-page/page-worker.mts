import { EncodedText } from "../../documents/reading/encoded-text.js";
import { HtmlText } from "../../documents/reading/html-text.js";
import { PlainLines } from "../../documents/reading/plain-lines.js";
import { serveReader } from "../../documents/reading/serve-reader.js";
import { PageReader } from "./page-reader.js";

serveReader(new PageReader(new EncodedText(), new HtmlText(new PlainLines())));
