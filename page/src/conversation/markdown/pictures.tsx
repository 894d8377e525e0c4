import { Picture } from "../../parts/picture.js";
import type { Mark } from "./marked-text.js";

const picture = /data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml);base64,[\w+/=]+/g;

/** Marks the pictures in a text, so that Markdown is read without their megabytes. */
export function pictureMarks(text: string): Mark[] {
  return [...text.matchAll(picture)].map((found) => {
    const [address] = found;
    const start = found.index;
    return { start, end: start + address.length, instead: <Picture address={address} words="a picture" /> };
  });
}
