import { playAll } from './harness/play.js';
import { incident } from './scenarios/incident.js';

playAll('The incident', [incident]);
