/**
 * The machine as a table, derived once at load: the public `transition()` builds an actor for each
 * event, about two hundred times the cost of a look-up. A transition that the table can't
 * represent (another action than `record`, an inline guard) stops the process at load.
 */
import { taskMachine, GUARDS, type GuardName } from "./machine.ts"
import type { EventType, TaskEvent } from "./events.ts"
import type { Task, TaskState } from "./task.ts"

interface Transition {
  readonly target: TaskState
  readonly guard: (typeof GUARDS)[GuardName] | undefined
}

type StateNode = (typeof taskMachine)["root"]

const TABLE = new Map<TaskState, Map<EventType, readonly Transition[]>>()
for (const node of leaves(taskMachine.root)) {
  const row = new Map<EventType, readonly Transition[]>()
  for (const [type, transitions] of node.transitions) {
    row.set(type as EventType, transitions.map(toTransition))
  }
  TABLE.set(toState(node), row)
}

/** The state that `event` leads to, or undefined if the machine refuses it. */
export function nextState(task: Task, event: TaskEvent): TaskState | undefined {
  const situation = { context: task, event }
  return TABLE.get(task.state)
    ?.get(event.type)
    ?.find(({ guard }) => guard === undefined || guard(situation))?.target
}

function leaves(node: StateNode): StateNode[] {
  const children = Object.values(node.states)
  return children.length === 0 ? [node] : children.flatMap(leaves)
}

/** The state in which a node ends: that of a compound state is its initial child. */
function toState(node: StateNode): TaskState {
  const initial = node.initial.target[0] as StateNode | undefined
  return initial === undefined || initial === node
    ? (node.path.join(".") as TaskState)
    : toState(initial)
}

type Definition =
  ReturnType<StateNode["transitions"]["get"]> extends (infer List) | undefined
    ? List extends readonly (infer Each)[]
      ? Each
      : never
    : never

function toTransition(definition: Definition): Transition {
  const actions = definition.actions as readonly unknown[]
  const target = definition.target?.[0] as StateNode | undefined
  const guard = definition.guard as GuardName | undefined
  const isPlain = actions.length === 1 && actions[0] === "record" && target !== undefined
  if (!isPlain || (guard !== undefined && !Object.hasOwn(GUARDS, guard))) {
    throw new TypeError(`the transition table can't hold ${definition.source.id}`)
  }
  return { target: toState(target), guard: guard === undefined ? undefined : GUARDS[guard] }
}
