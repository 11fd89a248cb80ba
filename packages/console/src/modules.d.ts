/** What the build makes modules of, besides TypeScript. Importing a style sheet adds it to the page. */

declare module "*.css" {}

declare module "virtual:state-diagram" {
  // oxlint-disable-next-line consistent-type-imports -- the declaration of a module takes no relative import
  export const stateDiagram: import("./pages/task/diagram.ts").StateDiagram
}
