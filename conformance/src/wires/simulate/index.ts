export { startSimulator, type ReceivedRequest, type Simulator, type SimulatorOptions } from './start-simulator.ts'
export type { SimulatedRequest } from './reply.ts'
export { dialectAt, simulatedWire, simulatedWires } from '../index.ts'
export type {
  AnswerContext,
  FailureKind,
  IssuedItem,
  JsonObject,
  Memory,
  Rejection,
  SimulatedDialect,
  StoredResponse,
  StreamedAnswer,
  WireSimulation,
  Withheld,
} from './wire-simulation.ts'
export type { ConversationItem, RequestView, ToolView } from './../request-view.ts'
export type {
  ProviderPlay,
  ProviderReply,
  ProviderRequest,
  SimulatedAnswer,
  SimulatedProvider,
  SimulatedTurn,
} from './provider-script.ts'
