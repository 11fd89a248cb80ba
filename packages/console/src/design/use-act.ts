/** What a button does: it is busy until that is over, and a failure is shown as a toast. */
import { useSignal, type ReadonlySignal } from "@preact/signals"
import { toSentence } from "./failure.tsx"
import { showToast } from "./toasts.tsx"

export interface Act {
  readonly isBusy: ReadonlySignal<boolean>
  /** Never rejects. */
  readonly act: (work: () => Promise<void>) => Promise<void>
}

export function useAct(): Act {
  const isBusy = useSignal(false)
  return {
    isBusy,
    async act(work) {
      isBusy.value = true
      try {
        await work()
      } catch (error) {
        showToast(toSentence(error), { isFailure: true })
      } finally {
        isBusy.value = false
      }
    },
  }
}
