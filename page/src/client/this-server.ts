import { Changes } from "./changes.js";
import { Connection } from "./connection.js";
import { useObservable } from "./observable.js";
import { requests, send } from "./server.js";

const connection = new Connection();

/** The server that the page came from. */
export const thisServer = {
  requests,
  connection,
  changes: new Changes(send, connection),
};

/** Whether the server answers, and when it is tried again. */
export const useConnection = () => useObservable(connection);

/** A browser has few connections to a server. A tab that nobody looks at lets go of one after this time. */
const HIDDEN_MS = 60_000;
let timer: ReturnType<typeof setTimeout> | undefined;
document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  if (document.hidden) timer = setTimeout(() => thisServer.changes.pause(), HIDDEN_MS);
  else {
    thisServer.changes.goOn();
    connection.tryNow();
  }
});
