/**
 * Returns the forms in which programs write a secret: as it is, in JSON, in an address, as hexadecimal digits and in base64. A
 * form of a form is not among them, but for JSON in JSON.
 */
export function writtenForms(secret: string): string[] {
  const hex = Buffer.from(secret).toString("hex");
  return [...jsonForms(secret), ...addressForms(secret), hex, hex.toUpperCase(), ...base64Forms(secret)];
}

function jsonForms(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inAscii = inJson.replaceAll(
    /[^\x20-\x7e]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const forms = [inJson, inAscii].flatMap((form) => [form, form.replaceAll("/", "\\/")]);
  return [secret, ...forms, ...forms.map((form) => JSON.stringify(form).slice(1, -1))];
}

function addressForms(secret: string): string[] {
  // Half a character cannot stand in an address.
  const whole = Buffer.from(secret).toString();
  const forms = [encodeURIComponent(whole), encodeURI(whole), new URLSearchParams({ k: whole }).toString().slice(2)];
  return forms.flatMap((form) => [form, form.replaceAll(/%../g, (code) => code.toLowerCase())]);
}

/**
 * Returns the characters that a secret has in base64 wherever it stands, such as in `user:secret`. The text before the secret
 * shifts it by zero, one or two bytes. The first and the last character also encode bits of the neighbouring bytes, unless
 * the secret ends the text.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const forms = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    const atEnd = text.slice(Math.ceil((before * 4) / 3));
    const inside = text.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3));
    return [atEnd, atEnd.replace(/=+$/, ""), inside];
  });
  return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}
