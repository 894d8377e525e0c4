import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Page } from "./page.js";
import "./tokens.css";
import "./page.css";
import "./parts/parts.css";

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no element #root.");
createRoot(root).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
