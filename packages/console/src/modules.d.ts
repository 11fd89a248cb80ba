/** What the build makes modules of, besides TypeScript. Importing a style sheet adds it to the page. */

declare module "*.css" {}

declare module "virtual:state-diagram" {
  import type { StateDiagram } from "./pages/task/diagram.ts"

  export const stateDiagram: StateDiagram
}
