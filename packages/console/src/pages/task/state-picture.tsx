/** The machine of every task, with the way of this one lit. Its geometry was laid out while the page was built. */
import type { TaskEvent } from "@safelight/client"
import type { JSX } from "preact"
import { stateDiagram } from "virtual:state-diagram"
import type { DiagramEdge, DiagramNode } from "./diagram.ts"
import { walkStates } from "./walk-states.ts"
import "./state-picture.css"

export function StatePicture({ events }: { readonly events: readonly TaskEvent[] }): JSX.Element {
  const way = walkStates(stateDiagram, events)
  const { width, height, nodes, edges } = stateDiagram
  // What is lit is drawn above what is not.
  const ordered = edges.toSorted(
    (one, other) => Number(way.edges.has(one)) - Number(way.edges.has(other)),
  )
  return (
    // A picture wider than a phone scrolls, by keyboard too.
    <div class="states" tabIndex={0} role="group" aria-label="The states of the task">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`The task went through ${way.states.join(", ")}.`}
      >
        <defs>
          <Arrow name="dim" />
          <Arrow name="lit" />
        </defs>
        {ordered.map((edge) => (
          <Edge key={`${edge.from} ${edge.to}`} edge={edge} isLit={way.edges.has(edge)} />
        ))}
        {nodes.map((node) => (
          <Node
            key={node.name}
            node={node}
            isLit={node.isBeginning || way.states.includes(node.name)}
            isNow={node.name === way.now}
          />
        ))}
      </svg>
    </div>
  )
}

function Arrow({ name }: { readonly name: string }): JSX.Element {
  return (
    <marker
      id={`arrow-${name}`}
      class={`states-arrow ${name}`}
      viewBox="0 0 8 8"
      refX="7"
      refY="4"
      markerWidth="7"
      markerHeight="7"
      orient="auto"
    >
      <path d="M0 0 8 4 0 8z" />
    </marker>
  )
}

interface EdgeProps {
  readonly edge: DiagramEdge
  readonly isLit: boolean
}

function Edge({ edge, isLit }: EdgeProps): JSX.Element {
  const look = isLit ? "lit" : "dim"
  return (
    <g class={`states-edge ${look}`}>
      <path d={edge.path} marker-end={`url(#arrow-${look})`} />
      <text x={edge.labelX} y={edge.labelY + 3}>
        {edge.events.join(", ")}
      </text>
    </g>
  )
}

interface NodeProps {
  readonly node: DiagramNode
  readonly isLit: boolean
  readonly isNow: boolean
}

function Node({ node, isLit, isNow }: NodeProps): JSX.Element {
  const { x, y, width, height, name, isBeginning } = node
  const look = `states-node ${isLit ? "lit" : "dim"} ${isNow ? "now" : ""}`
  if (isBeginning) {
    return (
      <g class={look}>
        <circle cx={x + width / 2} cy={y + height / 2} r={width / 2} />
      </g>
    )
  }
  return (
    <g class={look}>
      <rect x={x} y={y} width={width} height={height} rx="8" />
      <text x={x + width / 2} y={y + height / 2 + 5}>
        {name}
      </text>
    </g>
  )
}
