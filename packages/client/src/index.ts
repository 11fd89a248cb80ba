/** The public face of the client. Every export is named here, and a test holds the list. */
export type {
  AccountChange,
  AccountsQuery,
  AdminAccountCalls,
  KeyTerms,
  RotationTerms,
} from "./admin/admin-account-calls.ts"
export type { AdminCalls, Channel, OperatorUsageQuery } from "./admin/admin-calls.ts"
export type { AllTasksQuery, StoredEvent, TaskVerdict } from "./admin/admin-task-calls.ts"
export { proveEvents, type EventProof } from "./admin/prove-events.ts"
export type { AuditKind, AuditMessage, AuditProgress, AuditReport } from "./admin/audit-messages.ts"
export { ApiError, isApiError } from "./connection/api-error.ts"
export type {
  ApiErrorCode,
  ApiErrorType,
  ClientErrorCode,
  ParameterFault,
} from "./connection/api-error.ts"
export type {
  Artifact,
  ArtifactLink,
  Cancellation,
  LinkedArtifact,
  ListQuery,
  RefusalCode,
  RefusalType,
  Task,
  TaskFailure,
  ListedTask,
  TaskList,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookDeliveryList,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from "./api/answers.ts"
export type { Me, SignIn } from "./api/key-answers.ts"
export type { TaskUsage, UsageReport, UsageStatement } from "./api/usage-answers.ts"
export type {
  AccountSettings,
  ApiKey,
  ChannelCheck,
  ChannelStanding,
  NewApiKey,
  OperatorAccount,
  OperatorAccountList,
  OperatorChangeList,
  OperatorTask,
  OperatorTaskList,
  OperatorUsage,
  RotatedApiKey,
  StoredEventList,
  System,
} from "./api/operator-answers.ts"
export type { SignedLog, TaskProof } from "./api/proof-answers.ts"
export type { Balance, ModelInfo, Quote } from "./api/price-answers.ts"
export type { ModelParameters } from "./api/models.ts"
export type { DownloadOptions, DownloadProgress } from "./artifacts/download.ts"
export { toFileExtension } from "./artifacts/file-extension.ts"
export type { LinkOptions, TaskArtifact } from "./artifacts/task-artifact.ts"
export type { StatementQuery } from "./prices/read-statement.ts"
export { createClient, type Client, type TaskEvent, type UsageQuery } from "./client.ts"
export type { ClientOptions, FetchLike } from "./connection/client-options.ts"
export type { ClientClock } from "./connection/clock.ts"
export { DEFAULTS, type ClientSettings } from "./connection/settings.ts"
export type { ClientCancellation } from "./tasks/cancel-task.ts"
export type { ProofCalls } from "./proofs/proof-calls.ts"
export type { ProofFault, ProofFaultCode } from "./proofs/proof-fault.ts"
export type { ProofKeys } from "./proofs/proof-keys.ts"
export {
  verifyTaskProof,
  type ProvenCheckpoint,
  type ProvenTask,
  type TaskProofVerdict,
  type UnprovenTask,
  type VerifyTaskProofOptions,
} from "./proofs/verify-task-proof.ts"
export type { ResetMessage, StreamOptions, TaskMessage } from "./streams/follow-stream.ts"
export type { ClientTask } from "./tasks/client-task.ts"
export { signInByLink, type SignInOptions } from "./sign-in.ts"
export { jsonText, type JsonText } from "./tasks/json-text.ts"
export type { CallOptions, PageQuery } from "./tasks/list-tasks.ts"
export type { ModelId, ParametersOf } from "./tasks/model-parameters.ts"
export type { SubmitOptions } from "./tasks/submit-task.ts"
export type { WaitOptions } from "./tasks/wait-for-task.ts"
export {
  verifyWebhook,
  type VerifyWebhookOptions,
  type Webhook,
} from "./webhooks/verify-webhook.ts"
export type {
  DeliveryQuery,
  NewWebhookEndpoint,
  ReplayOptions,
  RotateOptions,
  WebhookCalls,
  WebhookEndpointChange,
} from "./webhooks/webhook-calls.ts"
