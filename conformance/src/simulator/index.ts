export { simulatorFault } from './own-play.ts'
export { startSimulator, type ReceivedRequest, type Simulator, type SimulatorOptions } from './start-simulator.ts'
export { dialectAt, simulatedWire, simulatedWires } from '../wires/index.ts'
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
} from '../wires/simulate/wire-simulation.ts'
export type { ConversationItem, RequestView, ToolView } from '../request-view.ts'
export type {
  ProviderPlay,
  ProviderReply,
  ProviderRequest,
  SimulatedAnswer,
  SimulatedProvider,
  SimulatedRequest,
  SimulatedTurn,
} from '../provider-script.ts'
