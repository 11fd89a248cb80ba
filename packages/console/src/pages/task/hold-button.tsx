/**
 * Keeps what came out for a week longer than it would be kept, or for as long as the account may. There is no button
 * where that is no longer than it is kept anyway.
 */
import type { Artifact, Task } from "@safelight/client"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { showToast } from "../../design/toasts.tsx"
import { useAct } from "../../design/use-act.ts"
import { me } from "../../session/me.ts"
import { useClient } from "../../session/session.ts"

export interface HoldButtonProps {
  readonly task: Task
  readonly artifacts: readonly Artifact[]
  readonly onHeld: () => void
}

const WEEK_SECONDS = 7 * 86_400

const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })

export function HoldButton({ task, artifacts, onHeld }: HoldButtonProps): JSX.Element | null {
  const client = useClient()
  const { isBusy, act } = useAct()
  const latest = task.finished_at + (me.value?.max_retention_seconds ?? 0)
  const ends = artifacts.map(({ expires_at: at = latest }) => at)
  const kept = Math.max(...ends)
  const isGone = Math.min(...ends) <= Date.now() / 1000
  if (artifacts.length === 0 || isGone || kept >= latest) return null
  const until = Math.min(kept + WEEK_SECONDS, latest)

  async function hold(): Promise<void> {
    await client.hold(task.task_id, until)
    showToast(`Kept until ${date.format(until * 1000)}.`)
    onHeld()
  }

  return (
    <Button isBusy={isBusy.value} onPress={() => void act(hold)}>
      {until < latest ? "Keep a week longer" : "Keep as long as possible"}
    </Button>
  )
}
