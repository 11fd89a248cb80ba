/** The filters over the tasks. One box finds a task by its id, or tasks by a label: `project=spring`. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren, JSX } from "preact"
import { Choice } from "../../design/choice.tsx"
import { Field } from "../../design/field.tsx"
import { goTo, replaceRoute, route, toHref } from "../../router/route.ts"
import { hasScope } from "../../session/me.ts"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import "./task-filters.css"

const STATUSES = [
  ["", "All"],
  ["queued", "Queued"],
  ["running", "Running"],
  ["succeeded", "Succeeded"],
  ["failed", "Failed"],
] as const
const TASK_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function change(segment: string, name: string, value: string): void {
  const query = Object.fromEntries(route.peek().query)
  replaceRoute(toHref([segment], { ...query, [name]: value }))
}

export interface TaskFiltersProps {
  /** Of the page's route. */
  readonly segment: string
  /** Further fields. */
  readonly children?: ComponentChildren
}

export function TaskFilters({ segment, children }: TaskFiltersProps): JSX.Element {
  const { query } = route.value
  return (
    <div class="filters">
      <Search segment={segment} />
      {children}
      <Choice
        label="Status"
        value={query.get("status") ?? ""}
        options={STATUSES}
        onChoose={(status) => change(segment, "status", status)}
      />
      {hasScope("tasks:read") !== false && <ModelFilter segment={segment} />}
    </div>
  )
}

/** Not for an operator's key that may read nothing of its own account: models are shown to keys that may. */
function ModelFilter({ segment }: Pick<TaskFiltersProps, "segment">): JSX.Element {
  const client = useClient()
  const mayRead = hasScope("tasks:read") === true
  const { state } = useLoaded(
    async (signal) => (mayRead ? client.models({ signal }) : []),
    [client, mayRead],
  )
  const models = state.value.value ?? []
  return (
    <Choice
      label="Model"
      value={route.value.query.get("model") ?? ""}
      options={[["", "All"], ...models.map(({ model }) => [model, model] as const)]}
      onChoose={(model) => change(segment, "model", model)}
    />
  )
}

function Search({ segment }: Pick<TaskFiltersProps, "segment">): JSX.Element {
  const words = useSignal(route.peek().query.get("label") ?? "")
  const fault = useSignal<string | undefined>(undefined)

  function search(event: Event): void {
    event.preventDefault()
    const text = words.value.trim()
    fault.value = undefined
    if (TASK_ID.test(text)) goTo(toHref([segment, text.toLowerCase()]))
    else if (text === "" || text.includes("=")) change(segment, "label", text)
    else fault.value = "Write a whole task id, or a label as key=value."
  }

  return (
    <form class="filters-search" role="search" onSubmit={search}>
      <Field label="Task id or label" fault={fault.value}>
        {(attributes) => (
          <input
            {...attributes}
            type="search"
            spellcheck={false}
            placeholder="project=spring"
            value={words}
            onInput={(event) => (words.value = event.currentTarget.value)}
            onChange={(event) => {
              if (event.currentTarget.value === "") change(segment, "label", "")
            }}
          />
        )}
      </Field>
    </form>
  )
}
