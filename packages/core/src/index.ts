/** The public face of core: what a task is. Every export is named here, and a test holds the list. */
export {
  NO_LIMITS,
  RATE_POLICIES,
  type Account,
  type AccountSettings,
  type AccountTotals,
  type Rate,
  type RatePolicy,
} from "./accounts/account.ts"
export { isAccountName } from "./accounts/account-name.ts"
export { gatherBody } from "./answers/gather-body.ts"
export { toRetryAfterMs } from "./answers/retry-after.ts"
export { createBoundedCache, type BoundedCache } from "./bounded-cache.ts"
export { toCanonicalJson, type Json, type JsonObject } from "./values/canonical-json.ts"
export { toPoolNumber, toShare, type Pool, type Turn } from "./values/fair-division.ts"
export type { Digest, DigestPart } from "./values/digest.ts"
export { parseMonth, toUnixSeconds, type Month } from "./values/instant.ts"
export { assertServable, SEAL_ID } from "./transfers.ts"
export { findMediaType, MEDIA_HEAD_BYTES } from "./values/find-media-type.ts"
export { parseJson } from "./values/parse-json.ts"
export { toPredicate, type Predicate } from "./values/predicate.ts"
export {
  isSafelightError,
  SafelightError,
  type SafelightErrorCode,
  type SafelightErrorOptions,
} from "./errors/safelight-error.ts"
export { createFairGate, type FairGate } from "./fair-gate.ts"
export { createSemaphore, type Semaphore } from "./semaphore.ts"
export { createErrorLog, toLoggedError, type ConsoleHost } from "./errors/error-log.ts"
export { nextStartTag } from "./start-tag.ts"
export { createSystemClock, type TimeHost } from "./system-clock.ts"
export { createTextDigest, type DigestHost, type TextDigest } from "./values/text-digest.ts"
export { toHex } from "./values/to-hex.ts"
export { toUuid } from "./values/to-uuid.ts"
export { ACCOUNT_SCOPES, API_KEY_SCOPES, type ApiKeyScope } from "./keys/api-key-scope.ts"
export { createSecretHider, hideSecrets, toEcho } from "./keys/hide-secrets.ts"
export {
  findLabelFault,
  fromLabelTexts,
  MAX_LABELS,
  splitLabel,
  toLabelTexts,
  type Labels,
} from "./labels/labels.ts"

export { isHeaderSecret } from "./options/header-secret.ts"
export {
  LONGEST_TIMER_MS,
  POSITIVE,
  takeIntegers,
  type IntegerBounds,
} from "./options/integer-options.ts"
export { withDefaults, type Settings } from "./options/settings.ts"

export { MODELS } from "./models/catalogue.ts"
export { PICTURE_SIZES, type PictureSize } from "./models/picture-sizes.ts"
export { colour, colours, fields, integer, text, type Colour } from "./models/fields.ts"
export { isHostWithin } from "./models/host-pattern.ts"
export { imageEdit, type ImageEditParameters } from "./models/image-edit.ts"
export {
  MEDIA_SAMPLE_BYTES,
  toDeclaredKind,
  toEssence,
  toMediaTypes,
  type MediaType,
} from "./models/media-type.ts"
export { isDataUrl, parseDataUrl, type DataUrl } from "./models/data-url.ts"
export { DATA_URL_TYPES, MEDIA_URL_LIMITS, mediaUrl, type MediaKind } from "./models/media-url.ts"
export { listMediaInputs, listTextsAt, type MediaInput } from "./models/media-inputs.ts"
export {
  ARTIFACT_KINDS,
  isTimed,
  toArtifactKey,
  type ArtifactKind,
} from "./models/artifact-kind.ts"
export {
  countAsked,
  defineModel,
  toMainKind,
  type ArtifactCounts,
  type Model,
  type ModelDefinition,
  type ModelOption,
  type ModelOptions,
  type ParameterCheck,
  type ParameterValues,
} from "./models/model.ts"
export { toParameterIssue } from "./models/parameter-issue.ts"
export type { ParameterIssue, ParameterIssueCode } from "./models/parameter-issue.ts"
export { referenceToVideo, type ReferenceToVideoParameters } from "./models/reference-to-video.ts"
export {
  readModelFile,
  LONGEST_MODEL_ID,
  MODEL_ID,
  type ModelFile,
} from "./model-file/model-file.ts"
export { parseModelDefinition } from "./model-file/parse-model-definition.ts"
export {
  join as joinPointer,
  split as splitPointer,
  toFaultWords,
  type ModelFault,
} from "./model-file/fault.ts"
export { SCHEMA_LIMITS } from "./model-file/schema.ts"
export { findDescriptionFaults } from "./model-file/description.ts"
export type { StandardSchema } from "./models/standard-schema.ts"
export { UNAVAILABLE_REASONS, type UnavailableReason } from "./models/unavailable-reason.ts"
export { textToImage, type TextToImageParameters } from "./models/text-to-image.ts"
export {
  findMisfit,
  MEMBERS,
  toValueName,
  upstreamSchema,
  type Misfit,
  type Upstream,
  type UpstreamCost,
  type ValueBounds,
} from "./models/upstream.ts"

export {
  ANY_VALUE,
  coversFactors,
  FACTOR_PATTERN,
  findFactor,
  findFactors,
  MAX_FACTOR_VALUES,
  MAX_FACTORS,
  type AppliedFactor,
  type Factors,
  type LoggedParameters,
} from "./money/factors.ts"
export {
  BILLED_ITEMS,
  canCount,
  COUNTED,
  listRates,
  PRICE_RATES,
  type BilledItem,
  type PriceRate,
  type PriceRates,
} from "./money/rates.ts"
export { COST_MEMBERS, PRICE_MEMBERS } from "./money/price-schema.ts"
export { billedInputMs } from "./money/billed-input.ts"
export {
  chargeExactly,
  chargeUsage,
  MAX_CHARGE_MICROS,
  MAX_USAGE,
  type ExactAmount,
} from "./money/charge.ts"
export {
  chargeAsTold,
  chargeOf,
  chargeWithin,
  isPriced,
  type PricedTask,
} from "./money/charge-of.ts"
export {
  COST_CURRENCY,
  MAX_COST_UNIT_CHARACTERS,
  toBilledCost,
  toCostFigure,
  type AttemptCost,
  type BilledAttempt,
  type CostFigure,
  type ToldCost,
  type UnitCost,
} from "./money/cost.ts"
export {
  parsePriceDefinition,
  toPriceDefinitions,
  withKeptPrices,
  type PriceDefinition,
} from "./money/price-definitions.ts"
export {
  currentPrices,
  DEFAULT_PRICES,
  findPrice,
  isNamedBy,
  MAX_TABLE_NAME_LENGTH,
  sealPrices,
  toPriceVersion,
  withModelPrices,
  type ModelPrice,
  type OwnPrice,
  type PriceBook,
  type PriceTable,
} from "./money/prices.ts"
export { toQuoteLines, type Quote, type QuoteLine, type QuoteTerms } from "./money/quote.ts"

export {
  LINK_SECONDS,
  type Access,
  type Authentication,
  type AuthenticationRefusal,
  type Authorization,
  type CreateLinkRequest,
  type Credentials,
  type Identity,
  type LinkAccess,
  type LinkedArtifact,
  type OpenLinkRequest,
  type PrivateLink,
  type RateAnswer,
} from "./ports/access.ts"
export type {
  AccountChange,
  AccountStorage,
  ChargeListRequest,
  ChargePage,
  ChargePosition,
  ChargesRequest,
  ChargeSum,
  KeptTotals,
} from "./ports/account-storage.ts"
export type {
  ArtifactOpen,
  ArtifactPut,
  ArtifactReader,
  ArtifactRestore,
  ArtifactStorage,
  RestoreOutcome,
  StoredArtifact,
} from "./ports/artifact-storage.ts"
export type { SignedIn, SignInService } from "./ports/sign-in-service.ts"
export {
  REQUEST_INPUT,
  type ArtifactLinkEpoch,
  type SideRecords,
  type IdempotencyUse,
  type Input,
} from "./ports/side-records.ts"
export type {
  Accepted,
  Busy,
  CallbackAddress,
  CallbackOutcome,
  CallbackRequest,
  CancelOutcome,
  Channel,
  ChannelCheck,
  ChannelOutput,
  ChannelRequest,
  FindRequest,
  Completed,
  Ineligible,
  LinkedOutput,
  NotCreated,
  OpenedOutput,
  OutputOrigins,
  Pending,
  PollEvery,
  PollOutcome,
  PollRequest,
  ProviderCost,
  Refused,
  Running,
  Submission,
  SubmitOutcome,
} from "./ports/channel.ts"
export type {
  ChannelLoad,
  ChannelOutcomes,
  ChannelStorage,
  OutcomesRequest,
  PausedChannel,
} from "./ports/channel-storage.ts"
export {
  MOST_CHANGES,
  TASK_BEGIN,
  type ChangePage,
  type ChangePosition,
  type ChangeService,
  type EventPlace,
  type PositionedChange,
  type ReadChangesRequest,
  type TaskChange,
  type TaskChanges,
  type Watch,
  type WatchRequest,
} from "./ports/change-service.ts"
export type { AbortSignalLike, Clock } from "./ports/clock.ts"
export type {
  DatabaseStanding,
  Deployment,
  DeploymentRecord,
  DeploymentStorage,
} from "./ports/deployment-storage.ts"
export {
  KEPT_FOREVER,
  WATCHED_MS,
  type Feed,
  type FeedEntry,
  type ReadEntry,
  type FeedStorage,
  type ForgetFeedRequest,
  type ReadFeedRequest,
} from "./ports/feed-storage.ts"
export type { Definition, DefinitionStorage } from "./ports/definition-storage.ts"
export type { JudgedMomentStorage } from "./ports/judged-moment-storage.ts"
export type { InputClaim, InputContent, InputService } from "./ports/input-service.ts"
export {
  OUTCOME_GROUPINGS,
  type AllTasksPage,
  type AllTasksRequest,
  type Backlog,
  type ChannelHour,
  type DatabaseFacts,
  type InsightStorage,
  type OutcomeGroup,
  type OutcomeGrouping,
  type OutcomeGroupsRequest,
  type OutcomeSums,
} from "./ports/insight-storage.ts"
export {
  FIRST_ACCOUNT,
  type KeyMaker,
  type NewKey,
  type NewKeyRequest,
  type RotateKeyRequest,
  type RotateKeyResult,
} from "./ports/key-maker.ts"
export type { KeyStorage, StoredKey } from "./ports/key-storage.ts"
export type { LinkEpochRequest, LinkKey, LinkScope, LinkStorage } from "./ports/link-storage.ts"
export type {
  IdempotencyRestore,
  LinkEpochRestore,
  Transfer,
  TransferState,
  TransferStorage,
} from "./ports/transfer-storage.ts"
export type {
  KeptCheckpoint,
  LeafEvent,
  TreeExtension,
  TreeHead,
  TreeLeaf,
  TreeStorage,
  TreeTile,
  TreeTilePlace,
  UnsequencedEvent,
  UnsequencedEvents,
} from "./ports/tree-storage.ts"
export {
  ARCHIVE_TASK,
  type ArchivablePage,
  type ArchivableRequest,
  type ArchivedStream,
  type ArchivePart,
  type ArchiveReader,
  type ArchiveReadRequest,
  type ArchiveSegment,
  type ArchiveStorage,
  type ArchiveTasksRequest,
  type SegmentReader,
} from "./ports/archive-storage.ts"
export {
  BUNDLE_LEAVES,
  type ArchivedBundle,
  type BundleReader,
  type LeafRun,
  type TreeArchive,
  type TreeBundle,
} from "./ports/tree-archive.ts"
export type {
  EventProofs,
  LogIdentity,
  ProofService,
  ProofViewer,
  ProvenEvent,
  TaskProof,
} from "./ports/proof-service.ts"
export {
  STATED_FINDINGS,
  type ChainedEvent,
  type ChargeEvidence,
  type ChargingEvent,
  type NamedPrice,
  type StatedCharge,
  type StatedFinding,
  type StatedFindingCode,
  type StatementPage,
  type StatementService,
} from "./ports/statement-service.ts"
export { SILENT_LOG, type Log, type LogFields } from "./ports/log.ts"
export type {
  MessageSender,
  SendFailure,
  SendOutcome,
  SendRequest,
} from "./ports/message-sender.ts"
export type { InspectedMedia, MediaFacts, MediaInspector } from "./ports/media-inspector.ts"
export type { Media, MediaRequest, MediaSource } from "./ports/media-source.ts"
export {
  CHANGED_WITHOUT_KEY,
  type OperatorChange,
  type OperatorChangeDetails,
  type OperatorChangeKind,
  type OperatorChangePage,
  type OperatorChangesRequest,
  type OperatorChangeStorage,
} from "./ports/operator-change-storage.ts"
export {
  SETTING_BOUNDS,
  type AccountListRequest,
  type AccountPage,
  type AccountView,
  type KeyName,
  type KeyRequest,
  type KeyRotation,
  type KeyView,
  type MadeKey,
  type OperatorAccounts,
  type RotatedKey,
  type RotationResult,
  type SettingsChange,
} from "./ports/operator-accounts.ts"
export type {
  AuditCounts,
  AuditFindingView,
  AuditMessage,
  AuditSummary,
  ChannelCheckReport,
  ChannelLimits,
  ChannelStanding,
  ChannelView,
  CommitFacts,
  EventLoopFacts,
  MemoryFacts,
  NodeView,
  OperatorAudits,
  OperatorChanges,
  OperatorChannels,
  OperatorInsight,
  OperatorListRequest,
  OperatorSystem,
  OperatorTasks,
  OperatorUsage,
  OperatorUsageReport,
  OperatorUsageRequest,
  OperatorUsageRow,
  ResolveRequest,
  ResolveResult,
  RunningAudit,
  SystemFacts,
  TaskVerdict,
} from "./ports/operator-insight.ts"
export { PROBE_POINTS, type Probe, type ProbePoint } from "./ports/probe.ts"
export { HOST_REFUSED, toHostLine, type ChannelTrouble } from "./ports/channel-trouble.ts"
export type {
  Heartbeat,
  HeartbeatRequest,
  LeaseFacts,
  NodeFacts,
  Taken,
  TakeRequest,
  DueRequest,
  OverdueRequest,
  PeekRequest,
  QueueChange,
  QueueMeasure,
  QueuePeek,
  QueueStorage,
  ReleaseRequest,
  WorkerLease,
} from "./ports/queue-storage.ts"
export type { RateName, RateStorage } from "./ports/rate-storage.ts"
export type {
  ReadyFacts,
  ScannedStream,
  ScanPage,
  ScanRequest,
  Storage,
  TaskPlace,
} from "./ports/storage.ts"
export type {
  Admission,
  AdmitRequest,
  Append,
  EventRange,
  IdempotencyRequest,
  IdempotentTask,
  ListPage,
  ListRequest,
  ReadRequests,
  TaskLog,
  TaskPosition,
  TaskStorage,
} from "./ports/task-storage.ts"
export type { OpenInputRequest, TaskInputs } from "./ports/task-inputs.ts"
export type { StreamHead } from "./ports/stream-head.ts"
export {
  WEBHOOK_LIMITS,
  type DeliveryPage,
  type DeliveryQuery,
  type DeliveryResult,
  type MessageName,
  type NewWebhook,
  type ReplayResult,
  type Webhook,
  type WebhookChange,
  type WebhookRejection,
  type WebhookResult,
  type WebhookSecretResult,
  type WebhookService,
} from "./ports/webhook-service.ts"
export type {
  Delivery,
  DeliveryName,
  DeliveryPosition,
  DeliveryState,
  DeliveryTry,
  DisabledReason,
  FanOutRequest,
  ListDeliveriesRequest,
  NewDelivery,
  RecordedTry,
  SpreadDelivery,
  Standing,
  WaitingRequest,
  ReplayRequest,
  TakeDeliveriesRequest,
  WebhookEndpoint,
  WebhookName,
  WebhookSecret,
  WebhookStorage,
} from "./ports/webhook-storage.ts"
export {
  MAX_HOPS,
  type Balance,
  type CallbackResult,
  type CallbackService,
  type Cancellation,
  type EventPage,
  type FoundArtifacts,
  type HoldRefusal,
  type HoldRequest,
  type HoldResult,
  type IdempotencyKey,
  type ListEventsRequest,
  type ListedPage,
  type ListResult,
  type ListTasksRequest,
  type OpenArtifactRequest,
  type QuoteRequest,
  type QuoteResult,
  type ReceiveCallbackRequest,
  type SealedParameters,
  type SubmitRequest,
  type SubmitResult,
  type TaskRequest,
  type TaskService,
  type TaskUsage,
  type UsageReport,
} from "./ports/task-service.ts"
export {
  NO_TRACER,
  type ActiveSpan,
  type Span,
  type SpanAttributes,
  type SpanStart,
  type Tracer,
} from "./ports/tracer.ts"
export { traceCall } from "./tracing/trace-call.ts"
export { formatTraceparent, parseTraceparent, type TraceContext } from "./tracing/traceparent.ts"

export {
  isArtifactName,
  isArtifactLocator,
  MAX_LOCATOR_CHARACTERS,
  toArtifactFolder,
  toArtifactLocator,
  toLocatorTask,
  type LocatorHash,
  type LocatorParts,
} from "./task/artifact-locator.ts"
export { MOST_MARK_BYTES, parseMarkLine } from "./task/artifact-mark.ts"
export type { TaskCommand } from "./task/commands.ts"
export { decide, isOverdue, lastExpiryAt, type Decision } from "./task/decide.ts"
export {
  EVENT_DATA,
  EVENT_TYPES,
  type EventData,
  type EventType,
  type ManifestEntry,
  type TaskEvent,
  type TaskEventOf,
  type Usage,
} from "./task/events.ts"
export { toEventPage } from "./task/event-page.ts"
export { advance, evolve, fold } from "./task/evolve.ts"
export {
  FAILURE_CODES,
  isFailureCode,
  toTaskFailure,
  type FailureCode,
  type FailureType,
  type TaskFailure,
} from "./task/failure.ts"
export { holdUntil, keepsLonger } from "./task/hold.ts"
export { honoursKey } from "./task/honours-key.ts"
export { taskMachine } from "./task/machine.ts"
export {
  fromSnapshot,
  project,
  toArtifacts,
  toChargeRow,
  toOutcomeRows,
  toTaskRow,
  type Artifact,
  type Changes,
  type ChargeRow,
  type OutcomeRow,
  type TaskRow,
} from "./task/projection.ts"
export type { Rejection } from "./task/rejection.ts"
export { isIdempotencyKey } from "./task/idempotency-key.ts"
export { isTaskId } from "./task/task-id.ts"
export {
  findSealedParameters,
  sealParameters,
  withSealedParameters,
} from "./task/seal-parameters.ts"
export {
  GENESIS_HASH,
  hashEvent,
  hashShownEvent,
  openEvent,
  openEventStrictly,
  openParsedEvent,
  parseSealed,
  sealEvents,
  toHashDigits,
  type Sealer,
  type ShownEvent,
  type StoredEvent,
} from "./task/stored-event.ts"
export { toShownEvent, toShownEvents } from "./task/shown-event.ts"
export { toToldReason } from "./task/sealed-members.ts"
export { EVENT_SCHEMAS, upcast, type EventSchemas } from "./task/upcast.ts"
export {
  emptyTask,
  isTerminal,
  PROJECTION,
  toStatus,
  type Deferral,
  type Dispatch,
  type Task,
  type TaskState,
  type TaskStatus,
} from "./task/task.ts"

export { untilAborted } from "./until-aborted.ts"
export {
  EXPIRING_TYPE,
  TEST_TYPE,
  WEBHOOK_TYPES,
  type WebhookType,
} from "./webhooks/webhook-type.ts"
