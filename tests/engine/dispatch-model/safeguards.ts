/**
 * What the protocol does so that a generation is bought once and none is lost, by name. A variant
 * of the model leaves some of it out, and the schedules must then find the harm. What a reader would
 * get wrong: two of these may cover for each other, and only both missing do harm.
 */
export type Safeguard =
  /** `dispatched` is durable before the request leaves. */
  | "intent-before-call"
  /** Just before the call begins, the lease holds. */
  | "lease-holds-at-call"
  /** That check and the call's beginning are one step: a process isn't paused between them. */
  | "check-with-send"
  /** A lease is held from when its heartbeat was sent, not from when the answer came. */
  | "held-from-asking"
  /** Only a heartbeat prolongs a lease; taking a task under it does not. */
  | "renewal-alone-prolongs"
  /** A task is taken only under a lease that was renewed lately. */
  | "takes-when-fresh"
  /** Whether heartbeats stand still is timed from when a count was read, not from when it was asked for. */
  | "seen-from-reading"
  /** A lease is judged by its heartbeats and the judge's monotonic clock, not by wall clocks. */
  | "no-clocks-compared"
  /** A lease is expired only if its heartbeats still are what they were. */
  | "expire-by-beats"
  /** A process counts its heartbeats itself: no count comes again, not even after its lease has expired. */
  | "beats-never-again"
  /** Whoever asks whether a key exists has waited for the longest request first. */
  | "lookup-waits-request"
  /** And has waited for as long as a request may take to leave. */
  | "lookup-waits-sending"
  /** And has waited for a lease to run out besides. */
  | "lookup-waits-lease"
  /** A call to an unkeyed channel is never repeated while in doubt. */
  | "unkeyed-rests"
  /** A repeat is sent under the very same key. */
  | "same-key"
  /** A key is not sent again past its lifetime: asked before the intent… */
  | "key-alive-at-intent"
  /** … and once more just before the request leaves. */
  | "key-alive-at-send"
  /** The declared lifetime leaves room for a request's way and for clocks that differ. */
  | "key-lifetime-with-margin"
  /** An intent that finds the task changed is given up. */
  | "intents-give-up"
  /** A fact that finds the task changed is decided again, until it is recorded or refused. */
  | "facts-persist"
  /** Also by a node that has lost its lease, whatever its storage does meanwhile. */
  | "facts-outlive-lease"
  /** That a repeat created nothing, or was not sent, proves nothing of the first call. */
  | "repeat-proves-nothing"
  /** Reports of an end count only for the attempt they speak of. */
  | "attempts-told-apart"
  /** Nor for another dispatch of that attempt, made after the storage had lost the one they speak of. */
  | "dispatches-told-apart"
  /** An acceptance counts only for the call under the key it speaks of. */
  | "keys-told-apart"
  /** An append changes nothing where the task is not as it was left. */
  | "version-fence"
  /** A task that comes back to its node is not the business of the driver that had lost it. */
  | "driver-called-off"
  /** A driver that is done gives the task back, also where it recorded nothing. */
  | "done-gives-back"
  /** What is in hand and not held at a heartbeat is called off, in the same step as the lease is renewed. */
  | "lost-called-off"
  /** What is held and unknown at two heartbeats is released. */
  | "unknown-released"
  /** What was taken is begun only if the lease has held since the taking began. */
  | "begun-if-sound"
  /** A repeat of a key buys nothing, so it uses up no attempt. */
  | "repeats-are-free"
  /** Nor does a call that proved that nothing was created: the provider may just be away. */
  | "refusals-are-free"
  /** Who finds that the storage has lost what it knows writes that down again, before anything else. */
  | "lost-written-again"
  /** An append changes nothing either where the task has the version it was left at, and another history. */
  | "history-fence"
  /** That something was lost shows by the history, since others may have written as much meanwhile. */
  | "loss-by-history"
  /** What was bought and is refused by its task, or lost with it, is named in a log. */
  | "refused-is-named"
