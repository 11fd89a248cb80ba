/**
 * The protocol with one safeguard left out, each with the harm that chance then finds. What a reader
 * would get wrong: a seed is part of a variant, so that it is found every time; any other seed finds
 * it as well, only sooner or later.
 */
import type { HarmKind } from "./harm.ts"
import type { Safeguard } from "./safeguards.ts"
import type { Aim } from "./schedule.ts"
import type { ChannelKind } from "./world.ts"

export interface Variant {
  readonly without: readonly [Safeguard, ...Safeguard[]]
  readonly channel: ChannelKind
  readonly harm: HarmKind
  /** How the harm comes about. */
  readonly because: string
  /** Where the adversary looks, so that it finds what is rare soon. */
  readonly aim?: Aim
  readonly seed: number
}

const AWAY: Aim = { isRoomy: true, rare: ["away"] }

const SET_BACK: Aim = { isRoomy: true, rare: ["go-back"] }

export const VARIANTS: readonly Variant[] = [
  {
    without: ["intent-before-call"],
    channel: "lookup",
    harm: "bought-twice",
    because: "the caller dies before anybody can know that it called",
    seed: 14,
  },
  {
    without: ["intent-before-call"],
    channel: "unkeyed",
    harm: "dropped",
    because: "what the call brought belongs to no attempt that was recorded",
    seed: 1,
  },
  {
    without: ["lease-holds-at-call"],
    channel: "lookup",
    harm: "bought-twice",
    because: "a paused process wakes and calls when the next one has asked and bought",
    aim: { faults: ["pause"], touched: [] },
    seed: 1,
  },
  {
    without: ["check-with-send"],
    channel: "lookup",
    harm: "bought-twice",
    because: "it is paused between its check and its call, which nobody but an upstream could stop",
    aim: { faults: ["pause"], touched: [] },
    seed: 17,
  },
  {
    without: ["held-from-asking"],
    channel: "lookup",
    harm: "bought-twice",
    because: "a paused process takes an old heartbeat's answer for a lease that still holds",
    aim: { faults: ["pause", "wait"] },
    seed: 24,
  },
  {
    without: ["lookup-waits-request"],
    channel: "lookup",
    harm: "bought-twice",
    because: "the first request arrives after the key was found not to exist",
    aim: { faults: ["keep-back", "cut"], touched: ["submit"] },
    seed: 9,
  },
  {
    without: ["lookup-waits-sending"],
    channel: "lookup",
    harm: "bought-twice",
    because: "the first request had not left yet when the key was found not to exist",
    aim: { faults: ["keep-back", "cut"], touched: ["submit"] },
    seed: 9,
  },
  {
    without: ["lookup-waits-request", "lookup-waits-lease"],
    channel: "lookup",
    harm: "bought-twice",
    because: "whoever takes over asks at once",
    aim: { faults: ["keep-back", "cut"], touched: ["submit"] },
    seed: 9,
  },
  {
    without: ["unkeyed-rests"],
    channel: "unkeyed",
    harm: "bought-twice",
    because: "the call is simply made again",
    seed: 1,
  },
  {
    without: ["same-key"],
    channel: "keyed",
    harm: "bought-twice",
    because: "a repeat under another key is another purchase",
    seed: 1,
  },
  {
    without: ["key-alive-at-intent", "key-alive-at-send"],
    channel: "keyed",
    harm: "bought-twice",
    because: "the upstream has forgotten the key",
    aim: { faults: ["wait", "lose"], touched: ["answered"], isRoomy: false },
    seed: 3,
  },
  {
    without: ["key-alive-at-send"],
    channel: "keyed",
    harm: "bought-twice",
    because: "the key's time ran out while the intent was being recorded",
    aim: { faults: ["keep-back", "wait", "pause"], touched: ["append"], isRoomy: false },
    seed: 2,
  },
  {
    without: ["intents-give-up"],
    channel: "unkeyed",
    harm: "bought-twice",
    because: "an intent meant for a waiting task is recorded on one whose call is in doubt",
    aim: {
      faults: ["keep-back", "pause", "lose", "cut"],
      touched: ["append", "submit"],
      isRoomy: true,
    },
    seed: 3,
  },
  {
    without: ["intents-give-up"],
    channel: "lookup",
    harm: "bought-twice",
    because: "nothing was sent under it, which is then taken for proof about the call in doubt",
    aim: { faults: ["pause", "lose", "cut"], touched: ["append", "appended"], isRoomy: true },
    seed: 1,
  },
  {
    without: ["facts-persist"],
    channel: "unkeyed",
    harm: "dropped",
    because: "the answer came when somebody else had recorded the doubt",
    seed: 1,
  },
  {
    without: ["facts-outlive-lease"],
    channel: "unkeyed",
    harm: "dropped",
    because: "the lease and one append were lost, and the answer with them",
    aim: { faults: ["pause", "lose"], touched: ["append"], isRoomy: true },
    seed: 22,
  },
  {
    without: ["repeat-proves-nothing"],
    channel: "keyed",
    harm: "bought-twice",
    because: "the repeat met a busy upstream, the first call did not",
    seed: 15,
  },
  {
    without: ["attempts-told-apart"],
    channel: "lookup",
    harm: "bought-twice",
    because: "what one attempt proved is taken for the next one, which was bought",
    aim: { faults: ["refuse", "pause", "keep-back"], touched: ["submit", "answered"] },
    seed: 82,
  },
  {
    without: ["dispatches-told-apart"],
    channel: "keyed",
    harm: "mischarged",
    because: "a call that was never sent is taken for that of another node, which bought",
    aim: { faults: ["pause", "go-back"], touched: [], isRoomy: true },
    seed: 17,
  },
  {
    without: ["version-fence"],
    channel: "unkeyed",
    harm: "dropped",
    because: "what is recorded no longer fits the place in the queue that goes with it",
    seed: 1,
  },
  {
    without: ["driver-called-off", "unknown-released"],
    channel: "lookup",
    harm: "stranded",
    because: "the earlier driver's append gave the task back before it was taken again",
    seed: 1,
  },
  {
    without: ["done-gives-back", "unknown-released"],
    channel: "keyed",
    harm: "dropped",
    because: "a process that lives holds a task that nobody works on",
    seed: 14,
  },
  {
    without: ["unknown-released"],
    channel: "lookup",
    harm: "stranded",
    because: "a process that lives holds a task it has never heard of",
    aim: { faults: ["keep-back"], touched: ["take", "taken"], isRoomy: true },
    seed: 1,
  },
  {
    without: ["lost-called-off"],
    channel: "lookup",
    harm: "bought-twice",
    because: "a paused process wakes, renews its lease, and calls for a task that another has",
    aim: { faults: ["pause", "wait"], touched: [] },
    seed: 14,
  },
  {
    without: ["repeats-are-free"],
    channel: "keyed",
    harm: "dropped",
    because: "a provider that creates and does not answer for a while uses up all attempts",
    aim: AWAY,
    seed: 1,
  },
  {
    without: ["refusals-are-free"],
    channel: "lookup",
    harm: "stranded",
    because: "a provider that refuses for a while uses up all attempts",
    aim: { ...AWAY, faults: ["wait"], touched: [] },
    seed: 1,
  },
  {
    without: ["lost-written-again"],
    channel: "unkeyed",
    harm: "bought-twice",
    because: "who bought it finds the task waiting and buys it again",
    aim: SET_BACK,
    seed: 1,
  },
  {
    without: ["refused-is-named"],
    channel: "lookup",
    harm: "unnamed",
    because: "another bought it too, and the first purchase is nowhere",
    aim: SET_BACK,
    seed: 7,
  },
  {
    without: ["unknown-released"],
    channel: "keyed",
    harm: "dropped",
    because: "a process that lives holds a task that it had done with, as the storage has it again",
    aim: SET_BACK,
    seed: 2,
  },
  {
    without: ["history-fence"],
    channel: "lookup",
    harm: "mischarged",
    because: "a success is added to another history that has come to the same version",
    aim: { ...SET_BACK, faults: ["pause", "keep-back"], touched: ["append", "appended"] },
    seed: 13,
  },
  {
    without: ["loss-by-history"],
    channel: "lookup",
    harm: "unnamed",
    because: "the task has as many events as before the loss, and another purchase",
    aim: SET_BACK,
    seed: 15,
  },
]

/**
 * Left out alone, these do no harm that was ever found; each is kept, and why is told here. Most of
 * them cover for one another: see the written schedules for what happens when two are missing.
 */
export const COVERED: readonly (Pick<Variant, "without" | "channel" | "aim"> & {
  readonly kept: string
})[] = [
  {
    without: ["lookup-waits-lease"],
    channel: "lookup",
    kept: "a lease expired too early, for whatever reason, is made up for by waiting for one",
  },
  {
    without: ["takes-when-fresh"],
    channel: "lookup",
    kept: "what is taken under a lease about to end costs an attempt that sends nothing",
  },
  {
    without: ["renewal-alone-prolongs"],
    channel: "lookup",
    kept: "with tasks taken late it lets a node send behind a takeover",
  },
  {
    without: ["seen-from-reading"],
    channel: "lookup",
    kept: "it is what makes the two clocks' intervals nest; the wait for a lease covers it",
  },
  {
    without: ["expire-by-beats"],
    channel: "lookup",
    kept: "expiring a lease that lives costs its work; the wait for a lease covers it",
  },
  {
    without: ["beats-never-again"],
    channel: "lookup",
    kept: "three nodes and two long pauses are needed; the wait for a lease covers it",
  },
  {
    without: ["begun-if-sound"],
    channel: "lookup",
    kept: "what is begun and not held is called off at the next heartbeat; the wait for a lease covers it",
    aim: { faults: ["pause", "keep-back", "wait"], touched: ["take", "taken"] },
  },
  {
    without: ["key-alive-at-intent"],
    channel: "keyed",
    kept: "the check before the call is the one that counts; this one saves attempts",
    aim: { faults: ["wait", "lose"], touched: ["answered"], isRoomy: false },
  },
]
