export { startSimulator, type ReceivedRequest, type Simulator, type SimulatorOptions } from './start-simulator.ts'
export type { SimulatedRequest } from './play.ts'
export { dialectAt, simulatedWire, simulatedWires } from '../index.ts'
export type {
  AnswerContext,
  FailureKind,
  IssuedItem,
  JsonObject,
  Memory,
  Refusal,
  SimulatedDialect,
  StoredResponse,
  StreamedAnswer,
  WireSimulation,
  Withheld,
} from './wire-simulation.ts'
