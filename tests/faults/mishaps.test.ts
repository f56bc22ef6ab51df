import { playAll } from './harness/play.js';
import { bellsAndClocks } from './scenarios/bells-and-clocks.js';
import { crowds } from './scenarios/crowds.js';
import { neighbours } from './scenarios/neighbours.js';
import { races } from './scenarios/races.js';
import { sickServers } from './scenarios/sick-servers.js';

playAll('Sick servers, false bells, races, crowds and bad neighbours', [
  ...sickServers,
  ...bellsAndClocks,
  ...races,
  ...crowds,
  ...neighbours,
]);
