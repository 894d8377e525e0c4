/** Sends a request to the server. @throws ServerError for an answer that is no 2xx; TypeError if the server does not answer */
export type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** Asks a server for JSON. */
export class Requests {
  constructor(readonly send: Send) {}

  async get<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
    return JSON.parse(await (await this.send(path, signal && { signal })).text());
  }

  async post<Answer>(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const response = await this.send(path, { method: "POST", body: JSON.stringify(body), headers });
    return JSON.parse(await response.text());
  }
}
