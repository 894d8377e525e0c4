import { useEffect, useState } from "react";
import { requests } from "../client/server.js";
import type { GraphOfServer } from "../wire.js";

/** The graphs of agents, which stay as they are while the server runs. */
const graphs = new Map<string, Promise<GraphOfServer>>();

function graphOf(agent: string): Promise<GraphOfServer> {
  const known = graphs.get(agent);
  if (known) return known;
  const asked = requests.get<GraphOfServer>(`assistants/${encodeURIComponent(agent)}/graph?xray=true`);
  asked.catch(() => graphs.delete(agent));
  graphs.set(agent, asked);
  return asked;
}

/** The graph of an agent as the server tells it; undefined until it is there, and for one that has none. */
export function useGraph(agent: string): GraphOfServer | undefined {
  const [found, setFound] = useState<{ readonly agent: string; readonly graph: GraphOfServer }>();
  useEffect(() => {
    let isWanted = true;
    graphOf(agent).then(
      (graph) => isWanted && setFound({ agent, graph }),
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, [agent]);
  return found?.agent === agent ? found.graph : undefined;
}
