/**
 * The way that a task has taken through the states, from its events and the diagram's own edges. An event without an
 * edge (progress, a hold) leaves the task where it is.
 */
import type { TaskEvent } from "@safelight/client"
import type { DiagramEdge, StateDiagram } from "./diagram.ts"

export interface Way {
  readonly edges: ReadonlySet<DiagramEdge>
  /** In the order of arrival; a state may occur several times. */
  readonly states: readonly string[]
  readonly now: string | undefined
}

export function walkStates(diagram: StateDiagram, events: readonly TaskEvent[]): Way {
  const edges = new Set<DiagramEdge>()
  const states: string[] = []
  let now = diagram.nodes.find(({ isBeginning }) => isBeginning)?.name
  for (const { type } of events) {
    const edge = diagram.edges.find((each) => each.from === now && each.events.includes(type))
    if (edge === undefined) continue
    edges.add(edge)
    states.push(edge.to)
    now = edge.to
  }
  return { edges, states, now }
}
