import { useAddress } from "./address.js";
import { ThreadList } from "./threads/thread-list.js";

/** The page: threads, the conversation, the loop and a step. */
export function Page() {
  const address = useAddress();
  return (
    <div className="page" data-pane={address.part === "step" ? "step" : "talk"}>
      <ThreadList />
    </div>
  );
}
