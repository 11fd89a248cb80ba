/**
 * Pausing, draining and resuming a channel, each after a question that says what would follow. Draining is pausing, but
 * the page says when nothing is left in flight.
 */
import type { Channel, ChannelStanding } from "@safelight/client"
import { useSignal } from "@preact/signals"
import { Fragment, type JSX } from "preact"
import { Button } from "../../design/button.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { useAct } from "../../design/use-act.ts"
import { useClient } from "../../session/session.ts"

export type Step = "pause" | "drain" | "resume"

interface StepWords {
  readonly verb: string
  readonly follows: string
  readonly otherwise: string
}

const WORDS: Readonly<Record<Step, StepWords>> = {
  pause: {
    verb: "Pause",
    follows: "It gets no new tasks. Those that it has continue.",
    otherwise: "Leave it running",
  },
  drain: {
    verb: "Drain",
    follows: "It gets no new tasks, and this page says when it has finished those that it has.",
    otherwise: "Leave it running",
  },
  resume: {
    verb: "Resume",
    follows: "It gets new tasks again.",
    otherwise: "Leave it paused",
  },
}

export interface ChannelActionsProps {
  readonly channel: Channel
  /** Models that no other running channel serves. */
  readonly onlyModels: readonly string[]
  readonly onDone: (step: Step, standing: ChannelStanding) => void
}

export function ChannelActions(props: ChannelActionsProps): JSX.Element {
  const asked = useSignal<Step | undefined>(undefined)
  const steps: readonly Step[] = props.channel.state === "running" ? ["pause", "drain"] : ["resume"]
  return (
    <>
      {steps.map((step) => (
        <Button key={step} onPress={() => (asked.value = step)}>
          {WORDS[step].verb}
        </Button>
      ))}
      {asked.value !== undefined && (
        <Question {...props} step={asked.value} onClose={() => (asked.value = undefined)} />
      )}
    </>
  )
}

interface QuestionProps extends ChannelActionsProps {
  readonly step: Step
  readonly onClose: () => void
}

function Question({ channel, onlyModels, step, onDone, onClose }: QuestionProps): JSX.Element {
  const { admin } = useClient()
  const { isBusy, act } = useAct()
  const { name, in_flight: inFlight } = channel
  const { verb, follows, otherwise } = WORDS[step]
  const calls: Readonly<Record<Step, () => Promise<ChannelStanding>>> = {
    pause: () => admin.pauseChannel(name),
    drain: () => admin.drainChannel(name),
    resume: () => admin.resumeChannel(name),
  }

  async function take(): Promise<void> {
    await act(async () => onDone(step, await calls[step]()))
    onClose()
  }

  return (
    <Dialog title={`${verb} ${name}?`} onClose={onClose}>
      <p>{follows}</p>
      {step !== "resume" && <p>It has {inFlight === 1 ? "1 task" : `${inFlight} tasks`} now.</p>}
      {step !== "resume" && onlyModels.length > 0 && (
        <p>
          No other channel that runs serves <ModelNames names={onlyModels} />: new tasks of{" "}
          {onlyModels.length === 1 ? "this model" : "these models"} wait, and fail when their time
          is over.
        </p>
      )}
      <div class="line">
        <Button look="main" isBusy={isBusy.value} onPress={() => void take()}>
          {verb} it
        </Button>
        <Button onPress={onClose}>{otherwise}</Button>
      </div>
    </Dialog>
  )
}

const MOST_NAMES = 3

function ModelNames({ names }: { readonly names: readonly string[] }): JSX.Element {
  const more = names.length - MOST_NAMES
  return (
    <>
      {names.slice(0, MOST_NAMES).map((name, index) => (
        <Fragment key={name}>
          {index > 0 && ", "}
          <code>{name}</code>
        </Fragment>
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  )
}
