// The processes that serve and run on one database: any number of servers and of workers.
import { spawnSync } from "node:child_process";
import { startProxy } from "../faults/proxy.mjs";
import { freePort } from "../free-port.mjs";
import { startServer } from "../server/process.mjs";

/** The words before a program that runs on a machine with another name. Without the rights for it, all are on one machine. */
function asHost(name) {
  const words = ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', name];
  const [program, ...parameters] = words;
  return spawnSync(program, [...parameters, "true"]).status === 0 ? words : [];
}

/**
 * Starts the processes. With workers, the servers run nothing by themselves.
 *
 * @param options.file The module with the agents.
 * @param options.db The address of the database.
 * @param options.env Variables for the agents.
 * @param options.servers,options.workers,options.slots How many there are, and the most runs at once of a worker.
 * @param options.isFar True to put a proxy between each process that runs something and the database: a network that can stall.
 */
export async function startFleet({ file, db, env, servers, workers, slots, isFar }) {
  const roles = [...Array(servers).fill("serve"), ...Array(workers).fill("worker")];
  const members = await Promise.all(
    roles.map(async (command, index) => {
      const proxy = isFar && (command === "worker" || workers === 0) ? await startProxy(db) : undefined;
      const runs = command === "worker" ? slots : 0;
      const options = {
        ...{ file, db: proxy?.url ?? db, env, command, port: await freePort() },
        ...(workers > 0 && { options: ["--max-runs", String(runs)] }),
        ...(roles.length > 1 && { before: asHost(`host-${index}`) }),
      };
      return { command, options, proxy, process: await startServer(options) };
    }),
  );
  return {
    members,
    urls: members.filter(({ command }) => command === "serve").map(({ process }) => process.url),
    workers: members.filter(({ command }) => workers === 0 || command === "worker"),
    async restart(member) {
      member.process = await startServer(member.options);
    },
    async end() {
      await Promise.all(members.map(({ process }) => process.end("SIGKILL")));
      for (const { proxy } of members) proxy?.close();
    },
  };
}
