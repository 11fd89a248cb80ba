/** The filters over the tasks. One box finds a task by its id, or tasks by a label: `project=spring`. */
import { useSignal } from "@preact/signals"
import type { ComponentChildren, JSX } from "preact"
import { Field } from "../../design/field.tsx"
import { goTo, replaceRoute, route, toHref } from "../../router/route.ts"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import "./task-filters.css"

const STATUSES = ["queued", "running", "succeeded", "failed"] as const
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
  const client = useClient()
  const { query } = route.value
  const { state } = useLoaded((signal) => client.models({ signal }), [client])
  const models = state.value.value ?? []
  return (
    <div class="filters">
      <Search segment={segment} />
      {children}
      <Field label="Status">
        {(attributes) => (
          <select
            {...attributes}
            value={query.get("status") ?? ""}
            onChange={(event) => change(segment, "status", event.currentTarget.value)}
          >
            <option value="">All</option>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {status[0]?.toUpperCase() + status.slice(1)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Model">
        {(attributes) => (
          <select
            {...attributes}
            value={query.get("model") ?? ""}
            onChange={(event) => change(segment, "model", event.currentTarget.value)}
          >
            <option value="">All</option>
            {models.map(({ model }) => (
              <option key={model} value={model}>
                {model}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
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
