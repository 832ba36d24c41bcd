/** Two nodes with three pods that changes are about, as manifests. */

const nearIp = '10.10.1.3';
export const [clientIp, farIp, serviceIp] = ['10.10.1.2', '10.10.2.2', '10.96.0.10'];
export const port = 7;

const node = (name: string) => `apiVersion: v1\nkind: Node\nmetadata: { name: ${name} }`;
const pod = (name: string, at: string, ip: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name}, labels: { app: ${name} } }\n` +
  `spec: { nodeName: ${at} }\nstatus: { podIP: ${ip} }`;

export const cluster = [
  node('n1'),
  node('n2'),
  pod('client', 'n1', clientIp),
  pod('near', 'n1', nearIp),
  pod('far', 'n2', farIp),
];

export function denyAll(): string {
  return (
    'apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: { name: nobody }\n' +
    'spec: { podSelector: {}, policyTypes: [Ingress] }'
  );
}

export function serviceOf(app: string): () => string {
  return () =>
    'apiVersion: v1\nkind: Service\nmetadata: { name: echo }\n' +
    `spec: { clusterIP: ${serviceIp}, selector: { app: ${app} }, ports: [{ port: ${port} }] }`;
}
