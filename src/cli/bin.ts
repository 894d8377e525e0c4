#!/usr/bin/env node
import { main } from "./main.js";
import { runToExit } from "./program/run-to-exit.js";

await runToExit(main);
