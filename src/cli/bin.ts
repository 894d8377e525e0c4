#!/usr/bin/env node
import { main } from "./main.js";
import { runToExit } from "./run-to-exit.js";

await runToExit(main);
