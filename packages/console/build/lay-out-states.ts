/**
 * The geometry of a task's states and transitions, laid out by dagre from the machine itself: a transition that the
 * machine gains appears in the picture. It runs while the page is built, so the browser gets numbers alone.
 */
import { taskMachine } from "@safelight/core"
import { graphlib, layout } from "@dagrejs/dagre"
import type { DiagramEdge, DiagramNode, StateDiagram } from "../src/pages/task/diagram.ts"

const NODE_WIDTH = 100
const NODE_HEIGHT = 36
/** Where a task begins: a dot. */
const DOT = 14

interface Transition {
  readonly from: string
  readonly to: string
  readonly events: readonly string[]
}

type StateNode = (typeof taskMachine)["root"]

/** The state before the first event. */
const NOTHING = "nothing"

export function layOutStates(): StateDiagram {
  const graph = new graphlib.Graph()
  graph.setGraph({ rankdir: "LR", nodesep: 22, ranksep: 34, marginx: 12, marginy: 16 })
  graph.setDefaultEdgeLabel(() => ({}))
  const states = leaves(taskMachine.root)
  for (const state of states) {
    graph.setNode(toName(state), sizeOf(toName(state)))
  }
  const transitions = gatherTransitions(states)
  for (const { from, to, events } of transitions) {
    graph.setEdge(from, to, { width: widthOf(events), height: 16, labelpos: "c", weight: 1 })
  }
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes: states.map((state) => toNode(graph, toName(state))),
    edges: transitions.map((transition) => toEdge(graph, transition)),
  }
}

function sizeOf(name: string): { readonly width: number; readonly height: number } {
  return name === NOTHING ? { width: DOT, height: DOT } : { width: NODE_WIDTH, height: NODE_HEIGHT }
}

function leaves(node: StateNode): StateNode[] {
  const children = Object.values(node.states)
  return children.length === 0 ? [node] : children.flatMap(leaves)
}

/** `succeeded.expired` is called `expired`, as its event is; `succeeded.available` is called `succeeded`. */
function toName(node: StateNode): string {
  const [outer = "", inner] = node.path
  return inner === undefined || inner === "available" ? outer : inner
}

/** One edge for all events that lead from one state to another. Loops are left out: the list of events has them. */
function gatherTransitions(states: readonly StateNode[]): Transition[] {
  const events = new Map<string, string[]>()
  for (const state of states) {
    for (const [type, transitions] of state.transitions) {
      for (const { target } of transitions) {
        const [to] = target === undefined ? [] : target.flatMap(enter)
        if (to === undefined || to === toName(state)) continue
        const key = `${toName(state)} ${to}`
        events.set(key, [...(events.get(key) ?? []), type])
      }
    }
  }
  return Array.from(events, ([key, types]) => {
    const [from = "", to = ""] = key.split(" ")
    return { from, to, events: types }
  })
}

/** A compound state is entered at its initial child. */
function enter(node: StateNode): string[] {
  const [first] = leaves(node)
  return first === undefined ? [] : [toName(first)]
}

function widthOf(events: readonly string[]): number {
  return events.join(", ").length * 5
}

function toNode(graph: graphlib.Graph, name: string): DiagramNode {
  const { x, y } = graph.node(name)
  const { width, height } = sizeOf(name)
  return {
    name,
    isBeginning: name === NOTHING,
    x: Math.round(x - width / 2),
    y: Math.round(y - height / 2),
    width,
    height,
  }
}

function toEdge(graph: graphlib.Graph, { from, to, events }: Transition): DiagramEdge {
  const { points } = graph.edge(from, to)
  const { x, y } = toMiddle(points)
  return { from, to, events, path: toPath(points), labelX: Math.round(x), labelY: Math.round(y) }
}

interface Point {
  readonly x: number
  readonly y: number
}

/** Where the line passes below its middle point, which it does not touch. */
function toMiddle(points: readonly Point[]): Point {
  const at = Math.floor(points.length / 2)
  const bend = points.at(at) ?? { x: 0, y: 0 }
  const before = points.at(at - 1) ?? bend
  const after = points.at(at + 1) ?? bend
  const halfWay = (one: Point, isEnd: boolean): Point =>
    isEnd ? one : { x: (one.x + bend.x) / 2, y: (one.y + bend.y) / 2 }
  const start = halfWay(before, at - 1 === 0)
  const end = halfWay(after, at + 1 === points.length - 1)
  return { x: (start.x + 2 * bend.x + end.x) / 4, y: (start.y + 2 * bend.y + end.y) / 4 }
}

/** A smooth line through dagre's points: each inner point bends the line between two middles. */
function toPath(points: readonly Point[]): string {
  const round = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`
  const [first, ...rest] = points
  const last = rest.at(-1)
  if (first === undefined || last === undefined) return ""
  const bends = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1] ?? last
    const isEnd = index === rest.length - 2
    const end = isEnd ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 }
    return `Q ${round(point)} ${round(end)}`
  })
  return bends.length === 0
    ? `M ${round(first)} L ${round(last)}`
    : `M ${round(first)} ${bends.join(" ")}`
}
