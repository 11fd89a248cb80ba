/** A model: what can be asked of it, what each costs, an example to try, and for an operator who makes it. */
import type { ModelInfo } from "@safelight/client"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Facts } from "../../design/facts.tsx"
import { Failure } from "../../design/failure.tsx"
import { PageHead } from "../../design/page-head.tsx"
import { PlainTable } from "../../design/plain-table.tsx"
import { Waiting } from "../../design/waiting.tsx"
import type { PageProps } from "../../router/pages.ts"
import { goTo, toHref } from "../../router/route.ts"
import { hasScope, isOperator } from "../../session/me.ts"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import { wanted } from "../playground/again.ts"
import { Availability, toKindWords, toRateWords, toTitle } from "./model-words.tsx"
import { OperatorPanels } from "./operator-panels.tsx"
import { toParameterRows } from "./parameter-rows.ts"
import { toPriceTable, toRates } from "./price-rows.ts"
import "./models-page.css"

export function Page({ rest }: PageProps): JSX.Element {
  const client = useClient()
  // An id's slashes may stand in the address as they are.
  const id = rest.join("/")
  const { state, reload } = useLoaded((signal) => client.model(id, { signal }), [client, id])
  const { value: model, error } = state.value
  if (error !== undefined) return <Failure error={error} onRetry={reload} />
  if (model === undefined) return <Waiting />
  return (
    <div class="stack">
      <PageHead
        title={toTitle(model)}
        above={
          <a class="small" href="#/models">
            All models
          </a>
        }
      >
        {hasScope("tasks:write") === true && (
          <Button look="main" href={toHref(["playground"], { model: model.model })}>
            Try it
          </Button>
        )}
      </PageHead>
      {model.description !== undefined && (
        <p>
          <bdi>{model.description}</bdi>
        </p>
      )}
      <section class="card" aria-label="The model">
        <Facts
          facts={[
            ["Id", <code>{model.model}</code>],
            ["Makes", toKindWords(model)],
            ["Now", <Availability model={model} />],
          ]}
        />
      </section>
      <section class="card stack" aria-labelledby="price">
        <h2 id="price">Price</h2>
        <PricePanel model={model} />
      </section>
      <section class="card stack model-parameters" aria-labelledby="parameters">
        <h2 id="parameters">What can be asked for</h2>
        <ParameterTable model={model} />
      </section>
      <Examples model={model} />
      {isOperator() && <OperatorPanels model={model.model} />}
    </div>
  )
}

function PricePanel({ model: { price } }: { readonly model: ModelInfo }): JSX.Element {
  const rates = toRates(price)
  const table = toPriceTable(price)
  if (rates.length === 0) return <p>The price of a task is told by its quote.</p>
  if (table?.params.length === 0) return <p>{toRateWords(rates)}</p>
  if (table === undefined) return <FactorTable model={{ price }} />
  return (
    <PlainTable
      label="Prices"
      titles={[...table.params, "Price"]}
      rows={table.rows.map((row) => ({
        id: row.values.join(" "),
        cells: [...row.values, toRateWords(row.rates)],
      }))}
    />
  )
}

/** Where a table of all combinations would be too long. */
function FactorTable({ model: { price } }: { readonly model: Pick<ModelInfo, "price"> }) {
  const rows = Object.entries(price.factors ?? {}).flatMap(([param, values]) =>
    Object.entries(values).map(([value, factor]) => ({
      id: `${param} ${value}`,
      cells: [param, value === "*" ? "any other" : value, `× ${factor}`],
    })),
  )
  return (
    <>
      <p>{toRateWords(toRates(price))}, times:</p>
      <PlainTable label="Factors" titles={["Parameter", "Value", "Factor"]} rows={rows} />
    </>
  )
}

function ParameterTable({ model }: { readonly model: ModelInfo }): JSX.Element {
  const rows = toParameterRows(model).map(({ hint, isRequired, path, words }, index) => ({
    id: `${index} ${path}`,
    cells: [<code>{path}</code>, isRequired ? "required" : "", words, hint ?? ""],
  }))
  return (
    <PlainTable label="Parameters" titles={["Parameter", "Needed", "Takes", "For"]} rows={rows} />
  )
}

function Examples({ model }: { readonly model: ModelInfo }): JSX.Element | null {
  const { examples = [] } = model
  if (examples.length === 0) return null
  return (
    <section class="card stack" aria-labelledby="examples">
      <h2 id="examples">{examples.length === 1 ? "Example" : "Examples"}</h2>
      {examples.map((parameters, index) => (
        <div key={index} class="stack">
          <pre class="model-example" tabIndex={0}>
            {JSON.stringify(parameters, null, 2)}
          </pre>
          {hasScope("tasks:write") === true && (
            <span>
              <Button onPress={() => tryExample(model.model, parameters)}>Try this example</Button>
            </span>
          )}
        </div>
      ))}
    </section>
  )
}

/** The form takes the parameters over once it is there. */
function tryExample(model: string, parameters: Readonly<Record<string, unknown>>): void {
  wanted.value = { model, parameters }
  goTo(toHref(["playground"], { model }))
}
