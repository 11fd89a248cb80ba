/** Every model: what it makes, what it costs at least, and whether it can be made now. */
import type { ModelInfo } from "@safelight/client"
import type { JSX } from "preact"
import { Choice } from "../../design/choice.tsx"
import { Empty } from "../../design/empty.tsx"
import { Failure } from "../../design/failure.tsx"
import { Field } from "../../design/field.tsx"
import { PageHead } from "../../design/page-head.tsx"
import { Table, type Column } from "../../design/table.tsx"
import { Waiting } from "../../design/waiting.tsx"
import { replaceRoute, route, toHref } from "../../router/route.ts"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import {
  Availability,
  KIND_WORDS,
  toKinds,
  toKindWords,
  toPriceWords,
  toTitle,
} from "./model-words.tsx"
import "./models-page.css"

/** A phone shows the first three. */
const COLUMNS: readonly Column<ModelInfo>[] = [
  { title: "Model", width: "minmax(0, 2fr)", cell: (model) => <bdi>{toTitle(model)}</bdi> },
  {
    title: "Id",
    width: "minmax(0, 3fr)",
    cell: ({ model }) => <code class="soft">{model}</code>,
  },
  { title: "Now", width: "200px", cell: (model) => <Availability model={model} /> },
  { title: "Makes", width: "100px", cell: toKindWords },
  { title: "Price", width: "minmax(0, 3fr)", cell: toPriceWords },
]

export function Page(): JSX.Element {
  const client = useClient()
  const { state, reload } = useLoaded((signal) => client.models({ signal }), [client])
  const { value: models, error } = state.value
  return (
    <div class="stack">
      <PageHead title="Models" />
      {error !== undefined && <Failure error={error} onRetry={reload} />}
      {models === undefined && error === undefined && <Waiting />}
      {models !== undefined && <Models models={models} />}
    </div>
  )
}

function Models({ models }: { readonly models: readonly ModelInfo[] }): JSX.Element {
  const { query } = route.value
  const [words, kind] = [query.get("search") ?? "", query.get("kind") ?? ""]
  const found = models.filter((model) => isWanted(model, words, kind))
  const change = (changed: Readonly<Record<string, string>>): void =>
    replaceRoute(toHref(["models"], { search: words, kind, ...changed }))
  return (
    <>
      <form class="model-filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <Field label="Search">
          {(attributes) => (
            <input
              {...attributes}
              type="search"
              value={words}
              onInput={(event) => change({ search: event.currentTarget.value })}
            />
          )}
        </Field>
        <Choice
          label="Makes"
          value={kind}
          options={[["", "Anything"], ...Object.entries(KIND_WORDS)]}
          onChoose={(chosen) => change({ kind: chosen })}
        />
      </form>
      {found.length === 0 ? (
        <Empty title="No model matches">Change the search to see others.</Empty>
      ) : (
        <Table
          label="Models"
          rows={found}
          columns={COLUMNS}
          toKey={({ model }) => model}
          toHref={({ model }) => toHref(["models", model])}
        />
      )}
    </>
  )
}

/** Every word has to be somewhere in what names or describes the model. */
function isWanted(model: ModelInfo, words: string, kind: string): boolean {
  if (kind !== "" && !toKinds(model).some((each) => each === kind)) return false
  const text = [model.model, model.title, model.description].join(" ").toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
