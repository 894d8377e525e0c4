import { describeLimits, isQuick } from "./each-limit.js";

describeLimits((protocol) => !isQuick(protocol));
