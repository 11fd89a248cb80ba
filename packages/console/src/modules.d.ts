/** What the build makes modules of, besides TypeScript. Importing a style sheet adds it to the page. */

declare module "*.css" {}

declare module "virtual:state-diagram" {
  const stateDiagram: import("./pages/task/diagram.ts").StateDiagram
  export { stateDiagram }
}
