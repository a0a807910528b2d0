export { startSimulator, type ReceivedRequest, type Simulator, type SimulatorOptions } from './start-simulator.ts'
export type { SimulatedRequest } from './play.ts'
export { simulatedWire, simulatedWires } from './wires.ts'
export type {
  AnswerContext,
  FailureKind,
  IssuedItem,
  JsonObject,
  Memory,
  Refusal,
  StoredResponse,
  StreamedAnswer,
  WireSimulation,
} from './wire-simulation.ts'
