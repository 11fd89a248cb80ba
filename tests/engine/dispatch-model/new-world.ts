/**
 * A world at its beginning: a task that was submitted, waiting for anybody, and nodes that have just
 * started. What a reader would get wrong: all of it happens at true time 0, and no node's clock says so.
 */
import { decide, emptyTask, type Task, type TaskEvent } from "@safelight/core"
import { start } from "./process.ts"
import type { Safeguard } from "./safeguards.ts"
import { ROOMY, TIGHT } from "./timing.ts"
import type { Node, Setup, World } from "./world.ts"

export function createWorld(
  setup: Setup,
  without: ReadonlySet<Safeguard>,
  story: string[] | undefined,
): World {
  const { head, events } = submitTask(setup)
  const world: World = {
    setup,
    without,
    nowMs: 0,
    lastId: 0,
    storage: {
      head,
      events,
      writers: new Map(),
      ready: { lease: null, dueAt: 0, isDone: false },
      leases: new Map(),
      earlier: [],
      hasGoneBack: false,
    },
    upstream: { operations: [], metCalls: new Map(), forgottenKeys: new Set(), absence: null },
    nodes: setup.clocks.map((clock, index) => createNode(index, clock)),
    messages: [],
    heard: [],
    told: [],
    named: new Set(),
    boughtKnowingly: [],
    story,
  }
  for (const node of world.nodes) start(world, node)
  return world
}

function createNode(index: number, { monotonicMs, wallMs }: Setup["clocks"][number]): Node {
  return {
    name: String.fromCodePoint(0x41 + index),
    monotonicMs,
    wallMs,
    boots: 0,
    isUp: true,
    isPaused: false,
    process: "",
    renewedAt: -Infinity,
    lapses: 0,
    beats: 0,
    beatAt: null,
    beating: null,
    taking: null,
    unknownSince: null,
    seen: new Map(),
    drivers: [],
    failuresInARow: 0,
    openUntil: -Infinity,
    calls: new Map(),
  }
}

function submitTask({ isRoomy }: Setup): { head: Task; events: TaskEvent[] } {
  const { endAfterMs, maxAttempts } = isRoomy ? ROOMY : TIGHT
  const submitted = {
    account: "account",
    commitment: "0".repeat(64),
    endBy: endAfterMs,
    maxAttempts,
    model: "model",
    parameters: {},
    priceVersion: "1",
    reservationMicros: 0,
  }
  const decision = decide(emptyTask("task"), { kind: "submit", submitted }, 0)
  if (decision.kind === "rejected") throw new TypeError("a task can be submitted")
  return { head: decision.task, events: [decision.event] }
}
