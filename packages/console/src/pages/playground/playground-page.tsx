/** Where models are tried: choose one, fill in its form, see the price, and watch the result come. */
import type { ModelInfo } from "@safelight/client"
import type { JSX } from "preact"
import { useEffect, useMemo } from "preact/hooks"
import { Empty } from "../../design/empty.tsx"
import { Failure } from "../../design/failure.tsx"
import { Choice } from "../../design/choice.tsx"
import { PageHead } from "../../design/page-head.tsx"
import { Waiting } from "../../design/waiting.tsx"
import { replaceRoute, route, toHref } from "../../router/route.ts"
import { useClient } from "../../session/session.ts"
import { useLoaded } from "../../session/use-loaded.ts"
import { ModelForm } from "./model-form.tsx"
import { RunCard } from "./run-card.tsx"
import { createRuns } from "./runs.ts"
import { again } from "./again.ts"
import "./playground-page.css"

export function Page(): JSX.Element {
  const client = useClient()
  const runs = useMemo(() => createRuns(client), [client])
  useEffect(() => runs.close, [runs])
  const { state, reload } = useLoaded((signal) => client.models({ signal }), [client])
  const { value: models, error } = state.value
  if (models === undefined) {
    return error === undefined ? <Waiting /> : <Failure error={error} onRetry={reload} />
  }
  const model = chooseModel(models)
  if (model === undefined) return <Empty isPage title="This service has no models" />
  return (
    <div class="stack">
      <PageHead title="Playground" />
      <div class="playground">
        <div class="stack">
          <ModelChoice models={models} chosen={model} />
          <ModelForm key={model.model} model={model} runs={runs} />
        </div>
        <div class="stack" aria-live="polite">
          {runs.list.value.length === 0 ? (
            <Empty title="What comes out appears here">Describe what you want to see.</Empty>
          ) : (
            runs.list.value.map((run) => (
              <RunCard key={run.task.task_id} run={run} onAgain={again} />
            ))
          )}
        </div>
      </div>
    </div>
  )
}

function chooseModel(models: readonly ModelInfo[]): ModelInfo | undefined {
  const wanted = route.value.query.get("model")
  return models.find(({ model }) => model === wanted) ?? models[0]
}

interface ModelChoiceProps {
  readonly models: readonly ModelInfo[]
  readonly chosen: ModelInfo
}

function ModelChoice({ models, chosen }: ModelChoiceProps): JSX.Element {
  return (
    <Choice
      label="Model"
      value={chosen.model}
      options={models.map(({ model }) => [model, model])}
      onChoose={(model) => replaceRoute(toHref(["playground"], { model }))}
    />
  )
}
