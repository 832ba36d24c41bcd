/** Reads calls of Docker engines from stdin, plays them, and writes what they leave: JSON both. */
import { text } from 'node:stream/consumers';
import type { Course } from '../../../control/contrail/course.js';
import { playCourse } from './play-course.js';

const course = JSON.parse(await text(process.stdin)) as Course;
const played = await playCourse(course);
process.stdout.write(JSON.stringify(played), () => process.exit(0));
