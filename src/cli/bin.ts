#!/usr/bin/env node
import { main } from "./main.js";
import { runToExit } from "./program/run-program.js";

await runToExit(main);
