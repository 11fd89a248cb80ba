/** The public face of the package: what an operator of a service sees and changes. */
export type { Accounts } from "./accounts/accounts.ts"
export type { Links, LinksOf } from "./accounts/links.ts"
export { createKeptAnswer, type KeptAnswer, type KeptAnswerOptions } from "./answers/kept-answer.ts"
export {
  createChangeRecord,
  type ChangeRecordOptions,
  type NewChange,
  type RecordChange,
} from "./changes/record-changes.ts"
export { toRecordedKeys, type RecordedKeys } from "./changes/recorded-keys.ts"
export type { PlainChannelView } from "./channels/channel-views.ts"
export type { ChannelDay, Channels } from "./channels/channels.ts"
export {
  toCheckReport,
  toConfiguredChannels,
  type ConfiguredChannel,
  type ConfiguredChannels,
} from "./channels/configured-channels.ts"
export type { DrainOptions } from "./channels/drain-channel.ts"
export type { DaySums } from "./channels/last-day.ts"
export {
  createDataOperator,
  createOperator,
  type DataOperator,
  type DataOperatorOptions,
  type Operator,
  type OperatorOptions,
} from "./operator.ts"
export type { Auditor } from "./service/audits.ts"
export type { ProcessFacts } from "./service/system.ts"
export type { MarginRow, Usage } from "./spending/usage.ts"
export { OPERATION_WORDS, parseOperation } from "./tasks/parse-operation.ts"
export type { Settling, Tasks } from "./tasks/tasks.ts"
