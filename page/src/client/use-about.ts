import { useEffect } from "react";
import type { Right } from "../wire.js";
import { AboutStore } from "./about-store.js";
import { useObservable } from "./observable.js";
import { thisServer } from "./this-server.js";

export const aboutStore = new AboutStore(thisServer.requests);

/** What the server has, and what the caller may do. */
export function useAbout() {
  const { about, problem, asksKey = false } = useObservable(aboutStore);
  useEffect(() => aboutStore.ask(), []);
  return { about, problem, asksKey, may: (right: Right) => about?.caller.may.includes(right) ?? false };
}
