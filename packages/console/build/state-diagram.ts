/** A module of the build, `virtual:state-diagram`: the geometry of the task machine as plain data. */
import type { Plugin } from "vite"
import { layOutStates } from "./lay-out-states.ts"

const NAME = "virtual:state-diagram"
/** The leading zero keeps other plugins from looking for a file. */
const RESOLVED = `\0${NAME}`

export function stateDiagram(): Plugin {
  return {
    name: "state-diagram",
    resolveId: (id) => (id === NAME ? RESOLVED : undefined),
    load: (id) =>
      id === RESOLVED ? `export const stateDiagram = ${JSON.stringify(layOutStates())}` : undefined,
  }
}
