/** Settles a task whose outcome is unknown, by what the provider said to the operator. */
import type { TaskVerdict } from "@safelight/client"
import { useSignal } from "@preact/signals"
import type { JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { Field } from "../../design/field.tsx"
import { showToast } from "../../design/toasts.tsx"
import { useAct } from "../../design/use-act.ts"
import { useClient } from "../../session/session.ts"

export interface SettleButtonProps {
  readonly task: string
  readonly onSettled: () => void
}

export function SettleButton({ task, onSettled }: SettleButtonProps): JSX.Element {
  const { admin } = useClient()
  const isAsking = useSignal(false)
  const { isBusy, act } = useAct()
  const operation = useSignal("")

  async function settle(verdict: TaskVerdict): Promise<void> {
    const { status } = await admin.resolveTask(task, verdict)
    showToast(status === "failed" ? "It has failed, and costs nothing." : "It goes on.")
    isAsking.value = false
    onSettled()
  }

  return (
    <>
      <Button onPress={() => (isAsking.value = true)}>Settle</Button>
      {isAsking.value && (
        <Dialog title="What became of this task?" onClose={() => (isAsking.value = false)}>
          <p>Ask the provider first: its operation is charged to this task’s account.</p>
          <Field label="The provider’s operation" hint="An id, or JSON.">
            {(attributes) => (
              <input
                {...attributes}
                spellcheck={false}
                value={operation}
                onInput={(event) => (operation.value = event.currentTarget.value)}
              />
            )}
          </Field>
          <div class="line">
            <Button
              look="main"
              isBusy={isBusy.value}
              isDisabled={operation.value.trim() === ""}
              onPress={() => void act(() => settle({ adopt: operation.value.trim() }))}
            >
              The provider has it
            </Button>
            <Button isBusy={isBusy.value} onPress={() => void act(() => settle({ fail: true }))}>
              It never will
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
