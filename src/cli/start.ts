import { main } from "./main.js";
import { runToExit } from "./program/run-program.js";

// `npm start`: without words it chats, in a terminal or with the lines of a pipe.
await runToExit((args, io) => main(args.length === 0 ? ["chat"] : args, { ...io, program: "npm start --" }));
