import { playAll } from './harness/play.js';
import { lostServers } from './scenarios/lost-servers.js';
import { lostWorkers } from './scenarios/lost-workers.js';

playAll('Lost workers and servers', [...lostWorkers, ...lostServers]);
